import { type OptionKey, optionRow } from '@sluice/contract'
import type { Db } from '../src/db/connect.ts'
import { isPostgres } from '../src/db/is-postgres.ts'
import { damagedSeal } from './damaged-seal.ts'

/** A value of free texts only, and of no list of names. */
export const damagedText = '{"a":'

/** What a damaged database may hold as the text of an option. Some of it is a value of some options. */
const texts: readonly string[] = [
  ...['', ' ', 'text', 'null', 'undefined', 'NaN', 'true', '"text"', '[]', '{}'],
  ...['-1', '0', '1.5', '1e999', '0.000000001', '65536', '9007199254740991', '9007199254740993', '9'.repeat(400)],
  ...[damagedText, '[1,{"b":null}]', '{"a":{}}', '{"a":"1"}', '{"a":-1}', '{"a":1e999}', '{"__proto__":1,"constructor":{"ratio":2}}'],
  ...['a\0b', '\0', 'line\r\nX-Header: 1', '\ud800', damagedSeal, `v1.${'A'.repeat(16)}`],
  ...['x'.repeat(70_000), 'a,'.repeat(70_000), '['.repeat(100_000), `{"a":${'['.repeat(100_000)}`, '{"a":'.repeat(100_000)],
]

/** The texts that the engine takes. */
export const damagedTexts = (db: Db): readonly string[] => (isPostgres(db) ? texts.filter((text) => !text.includes('\0')) : texts)

/** Writes the text of an option as it would be found after damage. @param text `null` = nobody has set it */
export async function damageOption(db: Db, key: OptionKey, text: string | null): Promise<void> {
  await db.deleteFrom('options').where('key', '=', key).execute()
  if (text !== null) await db.insertInto('options').values({ key, value: text, set_by_role: 100 }).execute()
}

/** Whether an option with this text is damaged: it is none of its values, or was not sealed with the present master key. A free text is any text. */
export function isDamage(key: OptionKey, text: string): boolean {
  const { secret, parse } = optionRow(key)
  return secret || parse(text) === null
}
