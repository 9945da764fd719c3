/** The runtime's own sentences, by situation. They are said in a character's place, so they never pretend to be its words. */
const TEXTS = {
  en: {
    failed: "(No answer this time; please say it again in a moment.)",
    refused: "(That answer was held back and not sent.)",
    busy: "(Too much at once: this line was not read. Say it again in a moment.)",
    spent: "(That was all for today; the characters here answer again tomorrow.)",
    interrupted: "(I was cut off while I did something, and can't tell whether it was done. Look before you ask for it again.)",
  },
  de: {
    failed: "(Diesmal keine Antwort; bitte sag es gleich noch einmal.)",
    refused: "(Diese Antwort wurde zurückgehalten und nicht gesendet.)",
    busy: "(Zu viel auf einmal: diese Zeile wurde nicht gelesen. Sag sie gleich noch einmal.)",
    spent: "(Das war alles für heute; morgen antworten die Figuren hier wieder.)",
    interrupted: "(Ich wurde mitten in etwas unterbrochen und weiß nicht, ob es geschah. Sieh nach, ehe du noch einmal darum bittest.)",
  },
} as const;

/** The fixed text for a turn that ended without a reply, or for a line that found no room or no budget (MC-052, MC-060, TR-092), in the character's language where there is one, else English. */
export function noticeText(situation: keyof (typeof TEXTS)["en"], language: string | undefined): string {
  const base = language?.split("-")[0];
  return base === "de" ? TEXTS.de[situation] : TEXTS.en[situation];
}
