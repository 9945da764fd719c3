const TAG = /<(\/?)think(?:ing)?>/gi;

/**
 * Take a model's thinking out of its answer, so that it is never said (one pass, no growth). Blocks `<think>…</think>` go
 * wherever they stand. Hosts whose template opens the block themselves send only its end: then all before it goes. A block that
 * never ends takes the rest with it. Inside a JSON answer the last two do not apply: there a lone tag is a word of the character.
 */
export function withoutThinking(text: string): { readonly text: string; readonly thought: boolean } {
  const json = /^\s*\{/.test(text);
  const kept: string[] = [];
  let from = 0;
  let openAt: number | null = null;
  let thought = false;
  for (const tag of text.matchAll(TAG)) {
    const end = tag.index + tag[0].length;
    const closes = tag[1] === "/";
    if (openAt === null && !closes) openAt = tag.index;
    else if (openAt !== null && closes) {
      kept.push(text.slice(from, openAt));
      [from, openAt, thought] = [end, null, true];
    } else if (closes && !json) {
      kept.length = 0;
      [from, thought] = [end, true];
    }
  }
  const cutOff = openAt !== null && !json;
  kept.push(cutOff ? text.slice(from, openAt ?? from) : text.slice(from));
  return { text: kept.join(""), thought: thought || cutOff };
}
