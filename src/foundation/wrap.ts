/**
 * Lay pieces out in lines of at most `width` characters, `joint` between two of one line. A piece that is longer than a line is
 * broken between its words; a single word that is longer stands alone, since an id that is cut is none.
 */
export function wrapPieces(pieces: readonly string[], width: number, joint: string = " · "): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const piece of pieces) {
    const joined = line === "" ? piece : `${line}${joint}${piece}`;
    if (joined.length <= width) {
      line = joined;
      continue;
    }
    if (line !== "") lines.push(line);
    const broken = piece.length <= width ? [piece] : breakWords(piece, width);
    line = broken.at(-1) ?? "";
    lines.push(...broken.slice(0, -1));
  }
  return line === "" ? lines : [...lines, line];
}

function breakWords(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const joined = line === "" ? word : `${line} ${word}`;
    if (joined.length > width && line !== "") lines.push(line);
    line = joined.length > width ? word : joined;
  }
  return [...lines, line];
}
