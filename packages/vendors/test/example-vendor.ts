import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A vendor that does not exist: what a record of a vendor with OpenAI's protocol needs at most. */
export const exampleRecord = `import { bearer } from '../../core/auth.ts'
import type { Vendor } from '../../core/vendor.ts'
import { withSystemRole } from '../../protocols/compat/messages.ts'
import { openai } from '../../protocols/openai/dialect.ts'
import { embeddings } from '../../protocols/openai/unstreamed-kinds.ts'

export const madeUp: Vendor = {
  type: 9_001,
  name: 'Made Up',
  color: 'grey',
  group: 'global',
  dialects: { chat: openai, embeddings },
  routes: { baseUrl: 'https://{region}.made-up.example/api' },
  configFields: ['region'],
  auth: bearer,
  key: { hint: 'mu-...', isValid: (key) => key.startsWith('mu-') },
  chat: {
    drop: ['seed'],
    rename: { max_completion_tokens: 'max_tokens' },
    streamUsage: true,
    patch: withSystemRole,
  },
  models: { names: ['gpt-4o-mini'] },
  failures: { purse_is_empty: 'no_quota', '400': [[/too many words/, 'context_length']] },
}
`

/** Adds the vendor to a copy of the package, as anybody adds one: by one file and one line. @param folder of the copy's source */
export function addExampleVendor(folder: string): void {
  mkdirSync(join(folder, 'vendors/made-up'))
  writeFileSync(join(folder, 'vendors/made-up/vendor.ts'), exampleRecord)
  appendFileSync(join(folder, 'registry/records.ts'), "export { madeUp } from '../vendors/made-up/vendor.ts'\n")
}
