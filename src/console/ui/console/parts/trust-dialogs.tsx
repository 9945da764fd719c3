import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { PersonEntry } from "../../../../observe/people-operation.ts";
import type { TrustAnswer } from "../../../../operations/trust.ts";
import { isTrust } from "../state/answers.ts";
import type { House } from "../state/house.ts";
import { personName, realmWords } from "../words/person-words.ts";
import { Choices } from "./pause-dialog.tsx";
import { Confirm } from "./confirm.tsx";

interface TrustDialogProps {
  readonly house: House;
  readonly person: PersonEntry;
  readonly change: "trust" | "untrust" | "unblock";
}

const CHANGES = {
  trust: {
    title: "Trust",
    what: "Trusted people are answered where a place says trusted, and do not share what guests share.",
    command: "trust",
    args: {},
    done: "is trusted.",
  },
  untrust: {
    title: "Untrust",
    what: "They become a guest: answered where they are addressed.",
    command: "trust",
    args: { remove: true },
    done: "is a guest.",
  },
  unblock: {
    title: "Unblock",
    what: "They become a guest: heard again, and answered where they are addressed.",
    command: "block",
    args: { remove: true },
    done: "is heard again.",
  },
} as const;

/** Puts a person on the trust list, or takes them off a list: shown whom, confirmed once (SE-096). */
export function TrustDialog({ house, person, change }: TrustDialogProps): JSX.Element {
  const name = personName(person, null);
  const { title, what, command, args, done } = CHANGES[change];
  return (
    <Confirm<TrustAnswer>
      house={house}
      id="trust-dialog"
      title={`${title} ${name}?`}
      act={`${title} ${name}`}
      keep="Leave it"
      command={`troupe ${command} ${person.id}${"remove" in args ? " --remove" : ""} --yes`}
      call={{ name: command, args: { person: person.id, yes: true, ...args } }}
      isAnswer={isTrust}
      done={() => `${name} ${done}`}
    >
      <Whom person={person} />
      <p>{what}</p>
    </Confirm>
  );
}

const SPANS = [
  { value: null, name: "for good" },
  { value: "1h", name: "an hour" },
  { value: "1d", name: "a day" },
  { value: "7d", name: "a week" },
] as const;

/** Stops hearing a person, for a time or for good. */
export function BlockDialog({ house, person }: Omit<TrustDialogProps, "change">): JSX.Element {
  const [span, setSpan] = useState<string | null>(null);
  const name = personName(person, null);
  const time = span === null ? {} : { for: span };
  return (
    <Confirm<TrustAnswer>
      house={house}
      id="block-dialog"
      title={`Block ${name}?`}
      act={`Block ${name}`}
      isFinal
      keep="Keep hearing them"
      command={`troupe block ${person.id}${span === null ? "" : ` --for ${span}`} --yes`}
      call={{ name: "block", args: { person: person.id, yes: true, ...time } }}
      isAnswer={isTrust}
      done={() => `${name} is blocked.`}
    >
      <Whom person={person} />
      <p>Nothing they say is answered or kept for a character. To them it looks as if nobody was named: they are not told.</p>
      {person.id.startsWith("room:") ? <p class="dim">A room’s member can come back as somebody new with another browser.</p> : null}
      <Choices legend="For how long" name="block-span" chosen={span} onChoose={setSpan} options={SPANS} />
    </Confirm>
  );
}

/** Whom it is about: the id decides, the name is only what they call themselves. */
export function Whom({ person }: { readonly person: PersonEntry }): JSX.Element {
  return (
    <p class="whom">
      <code>{person.id}</code>
      <span class="dim">
        {realmWords(person.id)}
        {person.name === null ? ", no name kept" : `, last called “${person.name}”`}
      </span>
    </p>
  );
}
