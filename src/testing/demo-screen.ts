import type { Line, Tone } from "../foundation/line.ts";
import { line, text, toned } from "../foundation/line.ts";
import type { Printable } from "../foundation/printable.ts";
import { printable } from "../foundation/printable.ts";
import { renderWhy } from "../observe/why-operation.ts";
import type { WhyReport } from "../observe/why.ts";
import type { DemoAnswer } from "../operations/demo.ts";
import type { Screen } from "../operations/faces/screen.ts";
import type { DemoPerson, DemoStep } from "./demo-script.ts";
import { RECORDED_LEAKS } from "./demo-script.ts";

/** Shows the scene as it goes, every word of it through `printable`. */
export class DemoScreen {
  readonly #screen: Screen | null;

  /** Null shows nothing: a program reads the report. */
  constructor(screen: Screen | null) {
    this.#screen = screen;
  }

  /** The head of the programme. */
  title(): void {
    this.#print("strong", line`A scene at the Lantern: two people, one character, no model`);
    this.#print("faint", line`The real runtime, in a folder and on ports of its own. Ann and Ben use the room as its page does.`);
  }

  /** A stage direction. */
  direct(what: Printable): void {
    this.#screen?.print([line``, toned("faint", line`  (${what})`)]);
  }

  /** What a person says, and who hears it. */
  said(step: Pick<DemoStep, "person" | "private" | "said">): void {
    this.#screen?.print([toned("strong", line`${printable(step.person)} ${heardBy(step.private)}: ${printable(step.said)}`)]);
  }

  /** What the character answered, as a person's page shows it; null when nothing came. */
  answered(answer: string | null): void {
    if (answer === null) return this.#print("bad", line`    no answer came`);
    const rows = answer.split("\n").map((row, at) => (at === 0 ? line`    Mirelle: ${printable(row)}` : line`      ${printable(row)}`));
    this.#screen?.print(rows);
  }

  /** What the two pages have of an answer that was interrupted. */
  copies(copies: readonly { readonly person: DemoPerson; readonly count: number }[]): void {
    for (const { person, count } of copies) {
      const often = count === 1 ? text`once` : text`${count} times`;
      this.#print(count === 1 ? "good" : "bad", line`    it stands on ${printable(person)}'s page ${often}`);
    }
  }

  /** The operator's answer to why. */
  why(report: WhyReport): void {
    this.#screen?.print(renderWhy(report).map((one) => ({ tone: one.tone, text: text`    ${one.text}` })));
  }

  /** What a runtime with one history for all would have said: recorded, and named so. */
  recorded(): void {
    this.#screen?.print([
      line``,
      toned("strong", line`Recorded result, not played now: the same stand-in with one history shared by everyone`),
      toned("faint", line`  (Nothing in the product switches to this. The twin that leaks lives in the tests.)`),
    ]);
    for (const leak of RECORDED_LEAKS) {
      this.said({ person: "Ben", private: leak.private, said: leak.said });
      this.answered(leak.answered);
    }
  }

  /** The judgement. */
  verdict({ passed, failures, facts, tookMs }: DemoAnswer): void {
    const count = (name: string): number => facts[name] ?? 0;
    const rows = [
      line`  the secret's word in all that reached Ben (${count("bytesToBen")} bytes): ${count("wordToBen")} times`,
      line`  the same word in all that reached Ann: ${count("wordToAnn")} times`,
      line`  messages ${count("messages")}, answered ${count("answered")}, still open ${count("unended")}, processes killed ${count("kills")}`,
    ];
    if (facts["messages"] !== undefined) this.#screen?.print([line``, toned("strong", line`What was seen`), ...rows]);
    for (const failure of failures) this.#print("bad", line`  ✗ ${printable(failure)}`);
    const seconds = Math.round(tookMs / 1_000);
    if (passed) this.#print("good", line`passed: nothing leaked, nothing was lost, nothing was said twice (${seconds} s)`);
    else this.#print("bad", line`failed: what did not hold stands above (${seconds} s)`);
  }

  #print(tone: Tone, one: Line): void {
    this.#screen?.print([toned(tone, one)]);
  }
}

function heardBy(hidden: boolean): Printable {
  return hidden ? text`to Mirelle only` : text`to everyone`;
}
