import type { Line } from "../../foundation/line.ts";
import { line } from "../../foundation/line.ts";
import type { Printable } from "../../foundation/printable.ts";
import { printable } from "../../foundation/printable.ts";
import type { LeftOut, LeftOutWhy, ListedPerson, PersonToChange, WhitelistAnswer } from "./whitelist-operation.ts";

const WHY: Readonly<Record<LeftOutWhy, string>> = {
  no_account: "is no account; write a mention or an id of 17 to 20 digits",
  owner: "is the owner, and stays so",
  operator: "is an operator by the configuration file, which alone changes that",
  bot: "is a bot",
  unknown: "is the id of no account",
  unavailable: "cannot be looked up now; try again",
  trusted_already: "is on the list already",
  not_trusted: "is not on the list",
  too_many: "was one too many; name it in a message of its own",
};
const DAYS_A_YEAR = 365;
const MAX_NAME_CHARACTERS = 80;
const MAX_WORD_CHARACTERS = 40;

/** An answer as lines of a chat: short, and each fact beside whom it is about. */
export function renderWhitelist(answer: WhitelistAnswer): readonly Line[] {
  switch (answer.kind) {
    case "list": {
      const { owner, people, more } = answer;
      const head = people.length === 0 ? line`Nobody else is on the list.` : line`Trusted (${people.length + more}):`;
      const rest = more === 0 ? [] : [line`· and ${more} more`];
      return [line`Owner: ${who(owner)}`, head, ...people.map((person) => line`· ${who(person)}`), ...rest];
    }
    case "asks": {
      const head = answer.to === "trusted" ? line`To be trusted:` : line`To be taken off the list:`;
      const end = line`Nothing is changed yet. To do it, answer within 5 minutes: whitelist yes`;
      return [head, ...answer.people.map(toChange), ...answer.leftOut.map(leftOut), end];
    }
    case "nothing":
      return [...answer.leftOut.map(leftOut), line`Nothing is changed.`];
    case "done":
      return [
        answer.to === "trusted" ? line`Trusted now:` : line`No longer trusted:`,
        ...answer.people.map((person) => line`· ${who(person)}`),
      ];
    case "no_question":
      return [line`Nothing waits for a yes. What is so now is shown by: whitelist list`];
  }
}

function who({ id, name }: ListedPerson): Printable {
  return name === null ? printable(id) : printable(`${id} ${printable(name, MAX_NAME_CHARACTERS)}`);
}

function toChange({ id, name, shownAs, madeAtMs, ageDays, from }: PersonToChange): Line {
  const names = [name ?? "name not known now", ...(shownAs === null ? [] : [`shown as ${shownAs}`])].map((one) =>
    printable(one, MAX_NAME_CHARACTERS),
  );
  const made = printable(new Date(madeAtMs).toISOString().slice(0, 10));
  const until = from === "blocked" ? printable(", blocked until now") : printable("");
  return line`· ${printable(id)}: ${printable(names.join(", "), 200)}; account made ${made}, ${age(ageDays)} old${until}`;
}

function age(days: number): Printable {
  const [count, unit] = days < 2 * DAYS_A_YEAR ? ([days, "day"] as const) : ([Math.floor(days / DAYS_A_YEAR), "year"] as const);
  return printable(`${count} ${unit}${count === 1 ? "" : "s"}`);
}

function leftOut({ word, why }: LeftOut): Line {
  return line`· ${printable(word, MAX_WORD_CHARACTERS)} ${printable(WHY[why])}`;
}
