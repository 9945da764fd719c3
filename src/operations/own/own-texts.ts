import type { PersonOutcome } from "../../vocabulary/outcome.ts";

/** What is told about oneself, in each language there is. `minutes` and `days` are spelled as numbers of that unit. */
export interface OwnTexts {
  readonly madeUp: (character: string, by: "model" | "understudy") => string;
  readonly commands: string;
  readonly inPublic: (minutes: number) => string;
  readonly inPrivate: (days: number) => string;
  readonly withoutWords: (days: number) => string;
  readonly readers: (operator: string) => string;
  readonly host: (host: string | null) => string;
  readonly rights: string;
  readonly notHere: string;
  readonly notVouched: string;
  readonly asks: (lines: number, answers: number) => string;
  readonly done: (lines: number, answers: number, bytesGone: boolean) => string;
  readonly elsewhere: string;
  readonly ignored: string;
  readonly heard: string;
  readonly heardAlready: string;
  readonly reset: (character: string, lines: number, answers: number) => string;
  readonly nothingSaid: string;
  readonly outcomes: Readonly<Record<Exclude<PersonOutcome, "waiting">, string>>;
  readonly help: Readonly<Record<"about" | "privacy" | "why" | "reset" | "forget" | "ignore" | "hear" | "help", string>>;
  readonly notSo: (example: string) => string;
  readonly notYours: string;
  readonly notInPublic: string;
}

const EN: OwnTexts = {
  madeUp: (character, by) =>
    by === "model"
      ? `${character} is made up, and a language model speaks for it. What it says can be wrong.`
      : `${character} is made up. No model is set up: a built-in stand-in answers by fixed rules.`,
  commands: "For you: /privacy (what is kept, how long, who reads it), /forget (erase your words), /ignore me (be heard no more).",
  inPublic: (minutes) =>
    `In public: everyone there reads what you say. It is kept until nobody has talked there for ${minutes} minutes, and a day at most.`,
  inPrivate: (days) => `In private: nobody else there is shown what you say. It is kept for ${days === 1 ? "a day" : `${days} days`}.`,
  withoutWords: (days) => `For ${days} days: when your lines came and what became of them, as ids and counts, without your words.`,
  readers: (operator) =>
    `This is kept on one computer, run by ${operator}, who can read all of it; when private lines are opened there, that is noted.`,
  host: (host) =>
    host === null
      ? "No model is set up: nothing leaves that computer."
      : `What an answer needs is sent to the model at ${host}; whoever runs that host can read it, and may keep it by rules of their own.`,
  rights: "To erase your words and your name here: /forget. To be heard by no character any more: /ignore me.",
  notHere: "Say /forget to me in private: it is about your words alone.",
  notVouched: "Nobody vouches here that it is you who asks. Whoever runs this can do it for you.",
  asks: (lines, answers) =>
    `This erases ${lines} of your lines and ${answers} answers that they shaped, and your name here. Say /forget yes within 5 minutes to do it.`,
  done: (lines, answers, bytesGone) =>
    `Forgotten: ${lines} of your lines and ${answers} answers that they shaped.${bytesGone ? "" : " The disk is too full to rebuild the files now; that follows at the next start."}`,
  elsewhere: "What pages here and platforms already showed, what a model host kept, and backups made before cannot be reached from here.",
  ignored:
    "From now on no character hears what you say, here or anywhere I am, and nothing of it is used. What you said before runs out by itself, or with /forget. To be heard again: /hear me.",
  heard: "You are heard again, from your next line on.",
  heardAlready: "You are being heard.",
  reset: (character, lines, answers) =>
    `${character} has no more in mind of what you two said here: ${lines} of your lines, ${answers} answers. What others said stays.`,
  nothingSaid: "I know of nothing that you said here lately.",
  outcomes: {
    answered: "The last thing you said here was answered.",
    not_addressed: "The last thing you said here was not taken as said to me.",
    resting: "I rest for now. Say it again later.",
    interrupted: "Something came between. Say it again.",
    too_long: "The last thing you said here was too long.",
  },
  help: {
    about: "/about: what I am, and who runs this",
    privacy: "/privacy: what is kept of what you say, how long, and who can read it",
    why: "/why: what became of the last thing you said here",
    reset: "/reset: begin anew; what we said here is out of my mind",
    forget: "/forget: erase your words and your name here; it asks once",
    ignore: "/ignore me: no character hears you any more",
    hear: "/hear me: be heard again",
    help: "/help: this list",
  },
  notSo: (example) => `It is said like this: ${example}`,
  notYours: "That is for the owner of this bot alone.",
  notInPublic: "Orders are not taken in public.",
};

const DE: OwnTexts = {
  madeUp: (character, by) =>
    by === "model"
      ? `${character} ist erfunden, und ein Sprachmodell spricht für die Figur. Was sie sagt, kann falsch sein.`
      : `${character} ist erfunden. Es ist kein Modell eingerichtet: ein eingebauter Ersatz antwortet nach festen Regeln.`,
  commands:
    "Für dich: /privacy (was gespeichert wird, wie lange, wer es liest), /forget (deine Worte löschen), /ignore me (nicht mehr gehört werden).",
  inPublic: (minutes) =>
    `Öffentlich: Alle dort lesen, was du sagst. Es bleibt, bis dort ${minutes} Minuten lang niemand gesprochen hat, höchstens einen Tag.`,
  inPrivate: (days) => `Privat: Niemand sonst dort bekommt es zu sehen. Es bleibt ${days === 1 ? "einen Tag" : `${days} Tage`}.`,
  withoutWords: (days) => `${days} Tage lang: wann deine Zeilen kamen und was aus ihnen wurde, als Kennungen und Zahlen, ohne deine Worte.`,
  readers: (operator) =>
    `Das liegt auf einem Rechner. Ihn betreibt ${operator} und kann alles lesen; wer dort private Zeilen öffnet, wird vermerkt.`,
  host: (host) =>
    host === null
      ? "Es ist kein Modell eingerichtet: nichts verlässt diesen Rechner."
      : `Was eine Antwort braucht, geht an das Modell bei ${host}; wer es betreibt, kann es lesen und nach eigenen Regeln aufheben.`,
  rights: "Um deine Worte und deinen Namen hier zu löschen: /forget. Um von keiner Figur mehr gehört zu werden: /ignore me.",
  notHere: "Sag /forget zu mir auf der privaten Leitung: es geht nur um deine Worte.",
  notVouched: "Niemand bürgt hier dafür, dass du es bist. Wer das hier betreibt, kann es für dich tun.",
  asks: (lines, answers) =>
    `Das löscht ${lines} deiner Zeilen und ${answers} Antworten, die aus ihnen kamen, und deinen Namen hier. Sag binnen 5 Minuten /forget yes, dann geschieht es.`,
  done: (lines, answers, bytesGone) =>
    `Vergessen: ${lines} deiner Zeilen und ${answers} Antworten, die aus ihnen kamen.${bytesGone ? "" : " Die Platte ist zu voll, um die Dateien jetzt neu zu bauen; das folgt beim nächsten Start."}`,
  elsewhere:
    "Was Seiten hier und Plattformen schon gezeigt haben, was ein Modellanbieter aufhob, und frühere Sicherungen sind von hier nicht zu erreichen.",
  ignored:
    "Von jetzt an hört keine Figur, was du sagst, weder hier noch sonst, wo ich bin, und nichts davon wird benutzt. Was du vorher gesagt hast, läuft von selbst ab, oder mit /forget. Um wieder gehört zu werden: /hear me.",
  heard: "Du wirst wieder gehört, ab deiner nächsten Zeile.",
  heardAlready: "Du wirst gehört.",
  reset: (character, lines, answers) =>
    `${character} hat nichts mehr im Sinn von dem, was ihr beide hier gesagt habt: ${lines} deiner Zeilen, ${answers} Antworten. Was andere gesagt haben, bleibt.`,
  nothingSaid: "Ich weiß von nichts, was du hier zuletzt gesagt hättest.",
  outcomes: {
    answered: "Was du hier zuletzt gesagt hast, wurde beantwortet.",
    not_addressed: "Was du hier zuletzt gesagt hast, galt nicht als zu mir gesagt.",
    resting: "Ich ruhe gerade. Sag es später noch einmal.",
    interrupted: "Etwas kam dazwischen. Sag es noch einmal.",
    too_long: "Was du hier zuletzt gesagt hast, war zu lang.",
  },
  help: {
    about: "/about: was ich bin, und wer das hier betreibt",
    privacy: "/privacy: was von dem, was du sagst, gespeichert wird, wie lange, und wer es lesen kann",
    why: "/why: was aus dem wurde, was du hier zuletzt gesagt hast",
    reset: "/reset: neu anfangen; was wir hier gesagt haben, ist mir aus dem Sinn",
    forget: "/forget: deine Worte und deinen Namen hier löschen; fragt einmal nach",
    ignore: "/ignore me: keine Figur hört dich mehr",
    hear: "/hear me: wieder gehört werden",
    help: "/help: diese Liste",
  },
  notSo: (example) => `Man sagt es so: ${example}`,
  notYours: "Das sagt nur, wem dieser Bot gehört.",
  notInPublic: "Öffentlich werden keine Befehle angenommen.",
};

/** The texts for a character's language; English where there is no other. */
export function ownTexts(language: string | undefined): OwnTexts {
  return language?.split("-")[0] === "de" ? DE : EN;
}
