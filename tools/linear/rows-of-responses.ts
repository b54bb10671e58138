import { failureOf } from '../../apps/server/src/relay/wire/loose-events.ts'
import type { JsonObject } from '../../packages/vendors/src/core/json.ts'
import { TextBesideOutput } from '../../packages/vendors/src/protocols/anthropic/output-tool.ts'
import { CalledItems } from '../../packages/vendors/src/protocols/responses/call-items.ts'
import { WrittenTexts } from '../../packages/vendors/src/protocols/responses/written-texts.ts'
import { withReferences } from '../../packages/vendors/src/protocols/shared/schema-reference.ts'
import { objectLists, textLists, texts } from './hostile-arguments.ts'
import { dataOf } from './hostile-events.ts'
import type { Row } from './rows.ts'

const folder = 'packages/vendors/src'

// Holds: the inputs are lists of objects.
const itemsOf = (list: unknown): readonly JsonObject[] => list as readonly JsonObject[]

/** What reads the parts of a response as those of a chat, and the references of a schema. */
export const rowsOfResponses: Readonly<Record<string, Row>> = {
  [`${folder}/protocols/shared/response-parts.ts#brokenEnd`]: { none: 'It puts what readers have checked into a failure.' },
  [`${folder}/core/no-usage.ts#partialUsage`]: { none: 'It adds counts that readers have checked.' },
  [`${folder}/core/no-usage.ts#reportedUsage`]: { none: 'It chooses between counts that readers have checked.' },
  [`${folder}/core/no-usage.ts#knownUsage`]: { none: 'It chooses between counts that readers have checked.' },
  [`${folder}/core/exact-number.ts#ExactNumber`]: {
    none: 'It holds the text of one number, and is made by parseExactly and parseForeign.',
  },
  [`${folder}/protocols/shared/once-at-end.ts#onceAtEnd`]: {
    none: 'It passes the chunks of a stream to what writes its events, which has rows.',
  },
  [`${folder}/protocols/anthropic/output-tool.ts#TextBesideOutput`]: {
    inputs: textLists,
    call(list) {
      const beside = new TextBesideOutput({ id: 'a', created: 1, model: 'm', unwrapTool: 'json' })
      return [dataOf(list).map((text) => beside.take(text)), beside.rest()]
    },
  },
  [`${folder}/protocols/responses/written-output.ts#WrittenOutput`]: { none: 'It joins texts and compares them: its users have rows.' },
  ...Object.fromEntries(
    ['looseFailure', 'failureOf'].map((name) => [
      `apps/server/src/relay/wire/loose-events.ts#${name}`,
      {
        inputs: texts,
        call: (data) => failureOf({ data: `[${String(data)}]`, name: 'error', raw: new Uint8Array() }, () => null),
      } satisfies Row,
    ]),
  ),
  [`${folder}/protocols/shared/schema-reference.ts#withReferences`]: {
    inputs: objectLists,
    call: (list) => withReferences([...itemsOf(list)], (name) => name),
  },
  [`${folder}/protocols/responses/call-items.ts#isCall`]: { none: 'It looks at one member.' },
  [`${folder}/protocols/responses/call-items.ts#CalledItems`]: {
    inputs: objectLists,
    call(list) {
      const calls = new CalledItems()
      const items = itemsOf(list).map((item) => ({ type: 'function_call', ...item }))
      return [items.map((item, place) => calls.end(item, place)), calls.endAll(items)]
    },
  },
  [`${folder}/protocols/responses/written-texts.ts#WrittenTexts`]: {
    inputs: objectLists,
    call(list) {
      const texts = new WrittenTexts()
      const items = itemsOf(list)
      return [items.map((item) => [texts.event({ type: 'response.output_text.delta', ...item }), texts.end(item, 0)]), texts.endAll(items)]
    },
  },
}
