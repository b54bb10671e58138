import type { JsonObject } from '../../packages/vendors/src/json.ts'
import { CalledItems } from '../../packages/vendors/src/responses/called-items.ts'
import { WrittenTexts } from '../../packages/vendors/src/responses/written-texts.ts'
import { objectLists } from './hostile-arguments.ts'
import type { Row } from './rows.ts'

const folder = 'packages/vendors/src/responses'

// Holds: the inputs are lists of objects.
const itemsOf = (list: unknown): readonly JsonObject[] => list as readonly JsonObject[]

/** What reads the events of a response as those of a chat. */
export const rowsOfResponses: Readonly<Record<string, Row>> = {
  [`${folder}/written-output.ts#WrittenOutput`]: { none: 'It joins texts and compares them: its users have rows.' },
  [`${folder}/called-items.ts#isCall`]: { none: 'It looks at one member.' },
  [`${folder}/called-items.ts#CalledItems`]: {
    inputs: objectLists,
    call(list) {
      const calls = new CalledItems()
      const items = itemsOf(list).map((item) => ({ type: 'function_call', ...item }))
      return [items.map((item, place) => calls.end(item, place)), calls.endAll(items)]
    },
  },
  [`${folder}/written-texts.ts#WrittenTexts`]: {
    inputs: objectLists,
    call(list) {
      const texts = new WrittenTexts()
      const items = itemsOf(list)
      return [items.map((item) => [texts.event({ type: 'response.output_text.delta', ...item }), texts.end(item, 0)]), texts.endAll(items)]
    },
  },
}
