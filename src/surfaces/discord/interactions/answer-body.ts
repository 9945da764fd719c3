import type { APIActionRowComponent, APIButtonComponentWithCustomId, APIEmbed } from "@discordjs/core";
import { ButtonStyle, ComponentType } from "@discordjs/core";
import type { ActAnswer, AnswerButton } from "../../../vocabulary/act.ts";

const MAX_CONTENT = 2_000;
const MAX_DESCRIPTION = 4_096;
const MAX_TITLE = 200;
const MAX_SHOWN = 5;
const PER_ROW = 5;
const MAX_ROWS = 5;

const STYLES: Readonly<Record<AnswerButton["tone"], APIButtonComponentWithCustomId["style"]>> = {
  plain: ButtonStyle.Secondary,
  good: ButtonStyle.Success,
  bad: ButtonStyle.Danger,
};

/** What an answer is on the platform: it calls nobody, whatever stands in it. */
export interface AnswerBody {
  readonly content: string;
  readonly embeds: APIEmbed[];
  readonly components: APIActionRowComponent<APIButtonComponentWithCustomId>[];
  readonly allowed_mentions: { readonly parse: [] };
}

/** Write an answer as the platform takes it. Others' words in it are shown letter by letter: no mark, link or call of theirs works. */
export function answerBody({ words, shown = [], buttons = [] }: ActAnswer): AnswerBody {
  return {
    content: cut(words, MAX_CONTENT),
    embeds: shown.slice(0, MAX_SHOWN).map((one) => ({
      title: cut(literally(one.title), MAX_TITLE),
      description: cut(literally(one.words), MAX_DESCRIPTION),
    })),
    components: rowsOf(buttons),
    allowed_mentions: { parse: [] },
  };
}

/** Each mark of ASCII with a backslash in front: the platform shows it as it is, and takes it for nothing else. */
export function literally(words: string): string {
  return words.replace(/[!-/:-@[-`{-~]/g, (mark) => `\\${mark}`);
}

function cut(words: string, max: number): string {
  const characters = Array.from(words);
  return characters.length <= max ? words : `${characters.slice(0, max - 1).join("")}…`;
}

/** Buttons as the platform takes them, five in a row. */
export function rowsOf(buttons: readonly AnswerButton[]): AnswerBody["components"] {
  const rows: AnswerBody["components"] = [];
  for (let at = 0; at < buttons.length && rows.length < MAX_ROWS; at += PER_ROW) {
    rows.push({
      type: ComponentType.ActionRow,
      components: buttons
        .slice(at, at + PER_ROW)
        .map(({ label, id, tone }) => ({ type: ComponentType.Button, style: STYLES[tone], label, custom_id: id })),
    });
  }
  return rows;
}
