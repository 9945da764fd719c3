import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ApprovalsAnswer, QuestionView } from "../../../../operations/approvals.ts";
import type { CardView } from "../../../../operations/card-view.ts";
import type { AskScope } from "../../../../vocabulary/calls/tool-definition.ts";
import { stretch } from "../../words/times.ts";
import { Waiting } from "../parts/known.tsx";
import { isApprovals } from "../state/answers.ts";
import type { House } from "../state/house.ts";
import type { Told } from "../state/operations-client.ts";
import { shortId } from "../words/person-words.ts";
import { when } from "../words/when.ts";
import { AskPieces } from "./ask-pieces.tsx";

/** A key pressed so soon after a question came into view was meant for something else. */
const STILL_MS = 500;
const NO_DATE_MS = 8.64e15;

const REACH: Readonly<Record<AskScope, string>> = {
  once: "Once",
  session: "This exact call, as long as this session lasts",
  always: "This exact call, in every session",
};

/** What somebody is about to answer. */
interface Choice {
  readonly scope: AskScope;
  readonly because: string;
}

/** A question that waits, with all that its card shows and the ways to answer it (SE-084). It never takes the focus by itself. */
export function AskCard({ house, question }: { readonly house: House; readonly question: QuestionView }): JSX.Element {
  const { id, digest, number, mine: isMine } = question;
  useEffect(() => {
    if (isMine) house.backstage.readCard({ id, digest });
  }, [house, id, digest, isMine]);
  const card = useFocusOnce(house, question);
  const told = house.backstage.cards.value.get(id);
  return (
    <section class="ask" id={`ask-${id}`} data-ask={id} tabIndex={-1} ref={card} aria-labelledby={`ask-${id}-h`}>
      <div class="ask__head">
        <h2 id={`ask-${id}-h`}>{question.tool === null ? `Question ${number}` : `Question ${number}: may this run?`}</h2>
        <p class="dim">{sinceWords(house, question)}</p>
      </div>
      {isMine ? (
        <Body house={house} question={question} told={told} />
      ) : (
        <p>It waits for {shortId(question.person)}, who answers it on their own line.</p>
      )}
    </section>
  );
}

function sinceWords(house: House, { askedAtMs, expiresAtMs }: QuestionView): string {
  const nowMs = house.page.value.nowMs.value;
  const until = expiresAtMs > NO_DATE_MS ? "until it is answered" : `until ${when(expiresAtMs, nowMs)}`;
  return `Asked ${stretch(nowMs - askedAtMs)} ago. It waits ${until}.`;
}

/** Focused once when somebody asked to see it; when it goes with the focus in it, the heading gets that. */
function useFocusOnce(house: House, { id, number }: QuestionView): { current: HTMLElement | null } {
  const card = useRef<HTMLElement>(null);
  const { wanted } = house.backstage;
  const isWanted = wanted.value === id;
  useEffect(() => {
    if (!isWanted) return;
    wanted.value = null;
    card.current?.scrollIntoView({ block: "nearest" });
    card.current?.focus();
  }, [isWanted, wanted]);
  useLayoutEffect(() => {
    const element = card.current;
    house.said.value = `Question ${number} waits for an answer.`;
    return () => {
      if (element?.contains(document.activeElement) === true) document.getElementById("page-h")?.focus();
    };
  }, [house, number]);
  return card;
}

interface BodyProps {
  readonly house: House;
  readonly question: QuestionView;
  readonly told: Told<CardView> | undefined;
}

function Body({ house, question, told }: BodyProps): JSX.Element {
  if (told === undefined) return <Waiting words="Reading the whole question" />;
  if (told.kind === "failed") {
    return (
      <p class="error" role="alert">
        {told.message} <code>{told.code}</code>{" "}
        <button class="link" type="button" onClick={() => house.backstage.readCard(question)}>
          Read it again
        </button>
      </p>
    );
  }
  return (
    <>
      <AskPieces card={told.value} />
      <Answers house={house} question={question} card={told.value} />
    </>
  );
}

function Answers({
  house,
  question,
  card,
}: {
  readonly house: House;
  readonly question: QuestionView;
  readonly card: CardView;
}): JSX.Element {
  const scopes: readonly AskScope[] = card.pieces?.scopes ?? ["once"];
  const [choice, setChoice] = useState<Choice>({ scope: "once", because: "" });
  const [isSaying, setIsSaying] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const [since] = useState(() => house.clock.monotonicMs());
  // What was read and what waits must be the same question: then its digest goes with the answer.
  const isStale = card.digest !== question.digest;
  const isOff = isBusy || isStale || !house.isLive;
  const give = (act: "allow" | "deny"): void => {
    if (isOff) return;
    setIsBusy(true);
    answer(house, { card, act, choice }, () => setIsBusy(false));
  };
  const onKey = (event: KeyboardEvent): void => {
    const isSoon = house.clock.monotonicMs() - since < STILL_MS;
    if (isSoon || !takeKey(event, { house, scopes, give, reach: (scope) => setChoice({ ...choice, scope }) })) return;
    event.preventDefault();
  };
  useCardKeys(card.id, onKey);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        give(isSaying ? "deny" : "allow");
      }}
    >
      {scopes.length < 2 ? null : (
        <fieldset class="scopes">
          <legend>How far does your yes reach?</legend>
          {scopes.map((scope, index) => (
            <label class="scope" key={scope}>
              <input
                type="radio"
                name={`scope-${card.id}`}
                checked={choice.scope === scope}
                onChange={() => setChoice({ ...choice, scope })}
              />
              <kbd class="key">{index + 1}</kbd> <span>{REACH[scope]}</span>
            </label>
          ))}
        </fieldset>
      )}
      {isSaying ? <WhyBox id={card.id} text={choice.because} onText={(because) => setChoice({ ...choice, because })} /> : null}
      <p class="error" role="alert">
        {isStale ? "What waits is not what is shown here. Load the page again." : ""}
      </p>
      <Buttons isOff={isOff} isLive={house.isLive} scope={choice.scope} saying={{ isSaying, setIsSaying }} onGive={give} />
    </form>
  );
}

interface WhyBoxProps {
  readonly id: string;
  readonly text: string;
  readonly onText: (text: string) => void;
}

/** Somebody asked for it, so it takes the focus. */
function WhyBox({ id, text, onText }: WhyBoxProps): JSX.Element {
  const box = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => box.current?.focus(), []);
  return (
    <div class="ask__why">
      <label for={`why-${id}`}>Why not? The model is told.</label>
      <input
        id={`why-${id}`}
        ref={box}
        type="text"
        maxLength={300}
        autocomplete="off"
        value={text}
        onInput={(event) => onText(event.currentTarget.value)}
      />
    </div>
  );
}

interface ButtonsProps {
  readonly isOff: boolean;
  readonly isLive: boolean;
  readonly scope: AskScope;
  readonly saying: { readonly isSaying: boolean; readonly setIsSaying: (isSaying: boolean) => void };
  readonly onGive: (act: "allow" | "deny") => void;
}

function Buttons({ isOff, isLive, scope, saying, onGive }: ButtonsProps): JSX.Element {
  if (saying.isSaying) {
    return (
      <div class="row">
        <button class="btn btn--stop" type="submit" aria-disabled={isOff}>
          Deny and say so
        </button>
        <button class="btn" type="button" onClick={() => saying.setIsSaying(false)}>
          Back
        </button>
      </div>
    );
  }
  const allow = scope === "once" ? "Allow once" : scope === "session" ? "Allow in this session" : "Allow always";
  return (
    <div class="row">
      <button class="btn btn--go" type="button" aria-disabled={isOff} aria-keyshortcuts="Control+Enter" onClick={() => onGive("allow")}>
        {isLive ? allow : "Not connected"} <kbd class="key">Ctrl Enter</kbd>
      </button>
      <button class="btn" type="button" aria-disabled={isOff} aria-keyshortcuts="D" onClick={() => onGive("deny")}>
        Deny <kbd class="key">D</kbd>
      </button>
      <button class="btn" type="button" aria-disabled={isOff} onClick={() => saying.setIsSaying(true)}>
        Deny and say why
      </button>
    </div>
  );
}

/** Keys count only while the question, and nothing to write in, has the focus. */
function useCardKeys(id: string, onKey: (event: KeyboardEvent) => void): void {
  const latest = useRef(onKey);
  latest.current = onKey;
  useEffect(() => {
    const card = document.getElementById(`ask-${id}`);
    const listen = (event: KeyboardEvent): void => latest.current(event);
    card?.addEventListener("keydown", listen);
    return () => card?.removeEventListener("keydown", listen);
  }, [id]);
}

interface KeyActs {
  readonly house: House;
  readonly scopes: readonly AskScope[];
  readonly give: (act: "allow" | "deny") => void;
  readonly reach: (scope: AskScope) => void;
}

function takeKey(event: KeyboardEvent, { house, scopes, give, reach }: KeyActs): boolean {
  const isWriting = event.target instanceof HTMLInputElement && event.target.type === "text";
  if (event.key === "Enter" && event.ctrlKey && !isWriting) {
    give("allow");
    return true;
  }
  if (isWriting || event.ctrlKey || event.metaKey || event.altKey || !house.page.peek().view.singleKeys.peek()) return false;
  const scope = scopes[Number(event.key) - 1];
  if (scope !== undefined) reach(scope);
  else if (event.key.toLowerCase() === "d") give("deny");
  else return false;
  return true;
}

/** Answer exactly the bytes that are shown, once; what does not count is told where it stays readable. */
function answer(
  house: House,
  { card, act, choice }: { readonly card: CardView; readonly act: "allow" | "deny"; readonly choice: Choice },
  onRefused: () => void,
): void {
  const { backstage } = house;
  const because = choice.because.trim();
  const more = act === "allow" ? { scope: choice.scope } : because === "" ? {} : { because };
  const args = { act, id: card.id, digest: card.digest, ...more };
  house.act<ApprovalsAnswer>({ name: "approvals", args }, isApprovals, (told) => {
    if (told.kind === "done") {
      backstage.refused.value = "";
      house.said.value = `Question ${card.number}: ${act === "allow" ? "allowed" : "denied"}.`;
    } else {
      backstage.refused.value = `Question ${card.number}: ${told.message} (${told.code})`;
      onRefused();
    }
    house.lookAgain();
  });
}
