import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { PersonEntry } from "../../../../observe/people-operation.ts";
import type { ForgetAnswer } from "../../../../operations/forget.ts";
import { isForget } from "../state/answers.ts";
import type { House } from "../state/house.ts";
import type { Told } from "../state/operations-client.ts";
import { number } from "../words/numbers.ts";
import { personName } from "../words/person-words.ts";
import { Confirm } from "./confirm.tsx";
import { Whom } from "./trust-dialogs.tsx";

/** Erases a person's words for good, after saying how much and having their name typed. */
export function ForgetDialog({ house, person }: { readonly house: House; readonly person: PersonEntry }): JSX.Element {
  const [told, setTold] = useState<Told<ForgetAnswer> | null>(null);
  const [typed, setTyped] = useState("");
  const name = personName(person, null);
  useEffect(() => house.act({ name: "forget", args: { person: person.id } }, isForget, setTold), [house, person.id]);
  return (
    <Confirm<ForgetAnswer>
      house={house}
      id="forget-dialog"
      title={`Forget ${name}?`}
      act={`Forget ${name}`}
      isFinal
      isBlocked={typed.trim() !== name || told?.kind !== "done"}
      keep="Keep"
      command={`troupe forget ${person.id} --yes`}
      call={{ name: "forget", args: { person: person.id, yes: true } }}
      isAnswer={isForget}
      done={({ bytesGone }) =>
        bytesGone ? `${name} is forgotten.` : `${name} is forgotten; the disk has no room to build the files anew.`
      }
    >
      <Whom person={person} />
      <Erased told={told} />
      <p>
        What others said in their own words stays theirs. Out of reach: what platforms and open pages already show, what a model host kept,
        and backups made before.
      </p>
      <div>
        <label for="forget-name">
          Type <strong>{name}</strong> to confirm
        </label>
        <input
          id="forget-name"
          type="text"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      </div>
    </Confirm>
  );
}

function Erased({ told }: { readonly told: Told<ForgetAnswer> | null }): JSX.Element {
  if (told === null) return <p class="dim">Counting what this erases</p>;
  if (told.kind === "failed") {
    return (
      <p class="error">
        {told.message} <code>{told.code}</code>
      </p>
    );
  }
  const { counts } = told.value;
  const rows: readonly (readonly [number, string])[] = [
    [counts.lines, "own lines"],
    [counts.answers, "answers that those lines shaped"],
    [counts.waiting, "messages that wait for an answer"],
    [counts.members, "memberships"],
  ];
  return (
    <>
      <p>This erases, everywhere and for good:</p>
      <dl class="erases">
        {rows.map(([amount, what]) => (
          <div key={what}>
            <dt>{number(amount)}</dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <p class="dim">
        {number(counts.decisions)} decisions and {number(counts.blocks)} blocks go on under a keyed hash of the id, until they expire.
      </p>
    </>
  );
}
