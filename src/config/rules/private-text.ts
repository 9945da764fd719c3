/** What private text should not contain: visitors can talk a character out of it (SE-088). */
export type PrivateRisk =
  | "credential"
  | "web address with a password"
  | "mail address"
  | "street address"
  | "network address"
  | "phone number"
  | "configured name";

/** Shapes of keys that are known for what they are. Each pattern is linear in the text. */
const CREDENTIALS: readonly RegExp[] = [
  /\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}/,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
  /\bgh[pousr]_[A-Za-z0-9]{20,}/,
  /\bgithub_pat_[A-Za-z0-9_]{20,}/,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/,
  /\bAIza[A-Za-z0-9_-]{30,}/,
  /\bhf_[A-Za-z0-9]{20,}/,
  /\bglpat-[A-Za-z0-9_-]{16,}/,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/,
  /\b[A-Za-z0-9_-]{23,28}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}/,
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----/,
];
const NAMED_SECRET =
  /\b(?:pass(?:word|wort|phrase|code)?|pwd|api[ _-]?key|secret[ _-]?key|access[ _-]?token|token|auth(?:orization)?|bearer)\b["']?\s{0,3}(?:[:=]|\bis\b|\bist\b)\s{0,3}\S/i;
const BEARER = /\bBearer\s{1,3}[A-Za-z0-9._~+/-]{12,}/;
/** A long run that mixes letters with several digits, as made by machines. */
const RANDOM_RUN = /\b(?=[A-Za-z_+/=-]{0,30}\d)[A-Za-z0-9_+/=-]{24,}/g;

const URL_PASSWORD = /\b[a-z][a-z0-9+.-]{1,15}:\/\/[^\s/@:]{1,100}:[^\s/@]{1,100}@/i;
const MAIL = /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,5}/u;
const IPV4 = /(?<![\d.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\d.])/;
const IPV6 = /(?<![0-9A-Fa-f:])(?:[0-9A-Fa-f]{1,4}:){4,7}[0-9A-Fa-f]{1,4}(?![0-9A-Fa-f:])/;
const STREET =
  /\b\d{1,5}[A-Za-z]?\s{1,2}(?:\p{Lu}[\p{L}.'’-]{0,30}\s{1,2}){1,3}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Square|Sq|Close|Crescent|Terrace)\b/u;
const STRASSE = /(?<!\p{L})\p{Lu}[\p{L}.-]{1,30}(?:straße|strasse|str\.|gasse|allee|platz|weg)\s{1,2}\d{1,4}/u;
const POSTCODE = /\b(?:[A-Z]{1,2}\d[A-Z\d]?\s\d[A-Z]{2}|\d{5}-\d{4}|[A-Z]{2}\s\d{5})\b/;
const PHONE = /(?<![\d.,])(?:\+|\(\+?)?\d(?:[ ()/.-]{0,2}\d){8,14}(?![\d])/g;

/** Tell what kinds of real-world facts stand in an author's text. `names` are those the configuration knows: operators, hosts, accounts. */
export function findPrivateRisks(text: string, names: readonly string[]): readonly PrivateRisk[] {
  const found: [PrivateRisk, boolean][] = [
    ["credential", looksLikeCredential(text)],
    ["web address with a password", URL_PASSWORD.test(text)],
    ["mail address", MAIL.test(text.replace(new RegExp(URL_PASSWORD, "gi"), " "))],
    ["street address", STREET.test(text) || STRASSE.test(text) || POSTCODE.test(text)],
    ["network address", IPV4.test(text) || IPV6.test(text)],
    ["phone number", hasPhone(text)],
    ["configured name", names.some((name) => hasName(text, name))],
  ];
  return found.flatMap(([risk, is]) => (is ? [risk] : []));
}

/** Tell whether a text holds what looks like a key, token or password. */
export function looksLikeCredential(text: string): boolean {
  if (CREDENTIALS.some((shape) => shape.test(text)) || NAMED_SECRET.test(text) || BEARER.test(text)) return true;
  return [...text.matchAll(RANDOM_RUN)].some(
    ([run]) => (run.match(/\d/g) ?? []).length >= 4 && /[A-Za-z]/.test(run) && !/^[a-z]+(?:-[a-z0-9]+)+$/.test(run),
  );
}

function hasPhone(text: string): boolean {
  return [...text.matchAll(PHONE)].some(([found]) => {
    // Without a country or area sign, a run of digits alone is as likely a number of the story.
    return /^(?:\+|\(|0)/.test(found) || /\d[ ()/.-]+\d+[ ()/.-]+\d/.test(found);
  });
}

function hasName(text: string, name: string): boolean {
  if (name.length < 3) return false;
  const folded = text.normalize("NFKC").toLowerCase();
  const wanted = name.normalize("NFKC").toLowerCase();
  for (let at = folded.indexOf(wanted); at >= 0; at = folded.indexOf(wanted, at + 1)) {
    const around = `${folded.charAt(at - 1)}${folded.charAt(at + wanted.length)}`;
    if (!/[\p{L}\p{N}]/u.test(around)) return true;
  }
  return false;
}
