import type { JSX } from "preact";
import type { CardView } from "../../../../operations/card-view.ts";

/** Everything a card shows, in the order in which it must be read: who asks and why, every byte, the model's own words last (SE-084). */
export function AskPieces({ card }: { readonly card: CardView }): JSX.Element {
  const { pieces } = card;
  if (pieces === null) return <p class="ask__asks">{card.asks}</p>;
  return (
    <>
      <dl class="kv kv--start">
        <dt>Asked because</dt>
        <dd>{pieces.because}</dd>
        <dt>Words of</dt>
        <dd>
          <Whose influence={pieces.influence} />
        </dd>
        {pieces.destination === "" ? null : (
          <>
            <dt>Goes to</dt>
            <dd>{pieces.destination}</dd>
          </>
        )}
        <dt>Tool</dt>
        <dd>
          <code>{pieces.tool}</code>
        </dd>
      </dl>
      <p class="ask__what">What would run, whole:</p>
      <pre class="ask__call">{pieces.bytes.join("")}</pre>
      <p class="dim ask__digest">
        SHA-256 <code>{pieces.digest}</code>
      </p>
      {pieces.dynamic ? <p class="ask__dynamic">What it does is not wholly said by these bytes.</p> : null}
      {pieces.foretold.length === 0 ? null : (
        <div class="ask__foretold">
          <p>What follows from it, as reckoned when it was asked:</p>
          <ul>
            {pieces.foretold.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
        </div>
      )}
      {pieces.words === "" ? null : (
        <blockquote class="ask__words">
          <p class="dim">The model wrote beside it, in its own words:</p>
          <p>{pieces.words}</p>
        </blockquote>
      )}
    </>
  );
}

function Whose({ influence }: Pick<NonNullable<CardView["pieces"]>, "influence">): JSX.Element {
  if (influence.length === 0) return <>nobody but the runtime</>;
  const hasOthers = influence.some(({ isOther }) => isOther);
  return (
    <ul class={hasOthers ? "ask__whose ask__whose--others" : "ask__whose"}>
      {influence.map(({ whose, isOther }) => (
        <li key={whose}>
          {isOther ? (
            <strong>
              <code>{whose}</code>, not you
            </strong>
          ) : (
            <code>{whose}</code>
          )}
        </li>
      ))}
    </ul>
  );
}
