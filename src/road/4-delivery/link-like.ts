/** Schemes that some client makes a link of without two slashes behind them. */
const SLASHLESS = "secondlife|hop|mailto|tel|sms|javascript|magnet|x-grid-[a-z-]{1,30}|data(?=:[a-z]+\\/)";
/** Endings of names that clients link, none of which is a word that people write behind a full stop. */
const ENDINGS =
  "com|net|org|edu|gov|mil|int|io|gg|dev|app|info|biz|co|me|tv|xyz|ru|cn|de|uk|eu|us|fr|nl|ch|se|fi|pl|pt|br|jp|kr|au|ca|nz|za|ie|cz|dk|gr|hu|ro|tr|ua|il|mx|ar|cl|id|sg|th|vn|ph|hk|tw|ae|su|cc|ws|ly|fm|im|gl|gd|la|pw|example|link|site|online|shop|store|top|live|chat|ai|club|tech|blog|page|world|games|art|news|wiki|cloud|space|zone|email|mobi|pro|travel|museum|onion|click|icu|vip|win|bid|loan|men|work|party|stream|download";
/** Endings that are words, or of files: only with a path or a port behind them. */
const WORD_ENDINGS = "[a-z]{2,24}";
const LABELS = "(?:[\\p{L}\\p{N}](?:[\\p{L}\\p{N}-]{0,61}[\\p{L}\\p{N}])?\\.)+";
/** Not inside a name or a path; a sign that stands alone in front hides a host from no reader. */
const FRONT = "(?<![\\p{L}\\p{N}]|[\\p{L}\\p{N}][./-])";
const REST = "[^\\s<>\"'`]*";

/** Whatever a scheme, `www.` or an invite makes a link of (MC-055, SE-095). */
export const LINK_LIKE: RegExp = new RegExp(
  `[a-z0-9+.-]{1,40}:\\/\\/${REST}|(?<![\\p{L}\\p{N}_])www\\.${REST}(?<!www\\.)|\\bdiscord(?:\\.gg|(?:app)?\\.com\\/invite)\\/?${REST}|(?<![\\p{L}\\p{N}_])(?:${SLASHLESS}):(?=\\S)${REST}`,
  "giu",
);

/** Names and numbers of hosts that clients link without a scheme (SE-095). */
export const BARE_HOSTS: readonly RegExp[] = [
  new RegExp(`${FRONT}${LABELS}(?:${ENDINGS})(?:[:/]${REST})?(?![\\p{L}\\p{N}-])`, "giu"),
  new RegExp(`${FRONT}${LABELS}${WORD_ENDINGS}(?::\\d{2,5}(?!\\d)|\\/(?=[\\p{L}\\p{N}?#]))${REST}`, "giu"),
  new RegExp(`(?<![\\p{L}\\p{N}]|[\\p{L}\\p{N}]\\.)(?:\\d{1,3}\\.){3}\\d{1,3}(?::\\d{1,5})?(?:\\/${REST})?(?![\\p{L}\\p{N}.])`, "giu"),
];
