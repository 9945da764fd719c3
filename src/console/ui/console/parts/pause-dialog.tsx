import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { StatusAnswer } from "../../../../observe/status.ts";
import { isPauses } from "../state/answers.ts";
import type { House } from "../state/house.ts";
import { pauseCommand, silence } from "../words/pause-words.ts";
import { characterName, surfaceTitle } from "../words/places.ts";
import { Confirm } from "./confirm.tsx";

const SPANS: readonly { readonly span: string | null; readonly name: string }[] = [
  { span: null, name: "until you resume" },
  { span: "30m", name: "30 minutes" },
  { span: "1h", name: "1 hour" },
  { span: "4h", name: "4 hours" },
  { span: "1d", name: "a day" },
];

/** Who, where, for how long: then it is silent. */
export function PauseDialog({ house }: { readonly house: House }): JSX.Element {
  const status = house.status.seen.value.value;
  const [character, setCharacter] = useState<string | null>(null);
  const [place, setPlace] = useState<string | null>(null);
  const [span, setSpan] = useState<string | null>(null);
  const choice = { character, place, span };
  return (
    <Confirm
      house={house}
      id="pause-dialog"
      title="What should be silent?"
      act={actWords(choice, status)}
      isFinal
      keep="Keep answering"
      command={pauseCommand(choice)}
      call={{ name: "pause", args: argsOf(choice) }}
      isAnswer={isPauses}
      done={() => `${silence(choice, status)}.`}
    >
      <Choices
        legend="Who"
        name="pause-who"
        chosen={character}
        onChoose={setCharacter}
        options={[{ value: null, name: "everyone" }, ...(status?.characters ?? []).map(({ id, name }) => ({ value: id, name }))]}
      />
      <Choices
        legend="Where"
        name="pause-where"
        chosen={place}
        onChoose={setPlace}
        options={[{ value: null, name: "everywhere" }, ...placesOf(status)]}
      />
      <Choices
        legend="For how long"
        name="pause-span"
        chosen={span}
        onChoose={setSpan}
        options={SPANS.map(({ span: value, name }) => ({ value, name }))}
      />
      <p class="dim">What is being said now is finished. Lines that wait end unanswered. “/forget” and “/privacy” still answer.</p>
    </Confirm>
  );
}

type Choice = Parameters<typeof pauseCommand>[0];

function argsOf({ character, place, span }: Choice): object {
  return {
    ...(character === null ? {} : { character }),
    ...(place === null ? {} : { place }),
    ...(span === null ? {} : { for: span }),
  };
}

function actWords({ character, place }: Choice, status: StatusAnswer | null): string {
  const who = character === null ? "everything" : characterName(character, status);
  return `Pause ${who}${place === null ? "" : ` in ${surfaceTitle(place, status)}`}`;
}

/** The terminal is the operator's own and is paused with everything else only. */
function placesOf(status: StatusAnswer | null): readonly { readonly value: string; readonly name: string }[] {
  return (status?.surfaces ?? []).filter(({ kind }) => kind !== "terminal").map(({ name, title }) => ({ value: name, name: title }));
}

interface ChoicesProps {
  readonly legend: string;
  readonly name: string;
  readonly chosen: string | null;
  readonly onChoose: (value: string | null) => void;
  readonly options: readonly { readonly value: string | null; readonly name: string }[];
}

/** One of a few, as radio buttons in a row. */
export function Choices({ legend, name, chosen, onChoose, options }: ChoicesProps): JSX.Element {
  return (
    <fieldset class="choices">
      <legend>{legend}</legend>
      {options.map((option) => (
        <label key={option.value ?? ""}>
          <input type="radio" name={name} checked={chosen === option.value} onChange={() => onChoose(option.value)} />
          <span>{option.name}</span>
        </label>
      ))}
    </fieldset>
  );
}
