import * as z from 'zod/mini'
import { pageSize } from './envelope.ts'
import type { FormKey } from './messages/form-en.ts'

/** A message of the catalogue as the text of a validation failure; the server translates it. */
export const says = (key: FormKey): string => key

/** Largest amount of quota that any field takes: what a JavaScript number holds exactly. */
export const quotaMax = Number.MAX_SAFE_INTEGER

/** Quota on the wire: a whole number >= 0. Floats, strings and negatives are refused, never rounded. */
export const quota = z.int(says('quota_invalid')).check(z.gte(0, says('quota_invalid')), z.lte(quotaMax, says('quota_invalid')))

/** Members of a row whose stored values cannot be read with this master key. They are empty or have their defaults until they are set again. */
export const unreadableOf = <const Names extends readonly string[]>(names: Names) => z.array(z.enum(names))

/** A number in a query; for compatible consoles, empty, `NaN` and other text mean 0. */
export const queryNumber = z._default(
  z.pipe(
    z.transform((value) => {
      const number = Math.trunc(Number(value))
      return Number.isSafeInteger(number) && number > 0 ? number : 0
    }),
    z.int(),
  ),
  0,
)

/** Most rows that one call of a list or a search returns. */
const pageSizeMax = 100

const pageOf = (sizeLeftOut: number) =>
  z.object({
    /** Page, from 0, of `size` rows. Beyond the last page there are no rows. */
    p: queryNumber,
    /** Id of the last row that was read: the rows after it follow, whatever was added or deleted meanwhile. `p` is ignored then. */
    after: queryNumber,
    /** Rows of one call; a larger number means the most. */
    size: z.pipe(
      queryNumber,
      z.transform((size) => (size === 0 ? sizeLeftOut : Math.min(size, pageSizeMax))),
    ),
  })

/** Which rows of a list one call returns. */
export const page = pageOf(pageSize)

/** Limits the length of a text. Checks behind it do not run on a longer one, so that the time of each is limited too. */
export const lengthMax = (most: number, key: FormKey) => z.maxLength(most, { error: says(key), abort: true })

/** Text of a limited length that may be missing or null on the wire; both become empty. */
export const textOf = (most: number, tooLong: FormKey) =>
  z._default(
    z.pipe(
      z.transform((value) => value ?? ''),
      z.string().check(lengthMax(most, tooLong)),
    ),
    '',
  )

/** Text of which nothing else is known. */
export const text = textOf(65_536, 'text_too_long')

/** Longest address, as most servers and browsers take it. */
export const addressMax = 2_048

/** Longest JSON text of a field. */
export const jsonTextMax = 262_144

/** Reads null as a given value. */
export function nullIs<Input, Read>(zero: NoInfer<Input>, schema: z.ZodMiniType<Read, Input>): z.ZodMiniType<Read, Input | null> {
  const fill = z.transform((value: unknown): unknown => (value === null ? zero : value))
  // Holds: both schemas check their input themselves.
  return z.pipe(fill, schema as z.ZodMiniType<Read>) as z.ZodMiniType<Read, Input | null>
}

/**
 * Member of an update: these fields as the form showed them, of those that the update changes. If one of them was changed elsewhere since, to
 * another value than this update's, nothing is changed, and `changed_fields` of the refusal names them.
 */
export function baselineFields<Shape extends z.core.$ZodLooseShape, const Name extends keyof Shape & string>(
  row: z.ZodMiniObject<Shape>,
  names: readonly Name[],
) {
  const fieldOf = (name: Name): unknown => {
    const field: unknown = row.shape[name]
    return field instanceof z.ZodMiniString ? baselineText : field
  }
  // Holds: the object has one member for each of the names, of the type of the row's.
  const fields = Object.fromEntries(names.map((name) => [name, fieldOf(name)])) as unknown as Pick<Shape, Name>
  return z.optional(z.nullable(z.partial(z.object(fields))))
}

/** A stored text as a form showed it: as long as a whole body may be, because it may be older than the limits of today. */
const baselineText = z.string().check(lengthMax(1_048_576, 'text_too_long'))

/** The id of a form, sent with the row that fills it. */
export const formId = z
  .string(says('invalid_parameter'))
  .check(lengthMax(32, 'invalid_parameter'), z.regex(/^\w{1,32}$/, says('invalid_parameter')))

/** The latest time in seconds since the epoch: the end of the year 9999. Dates hold later ones, but not every format writes them. */
export const timeMax = 253_402_300_799

/** A time in a query. Whatever is looked for, nothing is later than the latest time. */
export const queryTime = z.pipe(
  queryNumber,
  z.transform((seconds) => Math.min(seconds, timeMax)),
)

/** When something ends, in seconds since the epoch; 0 and -1 mean never, and are stored as -1. */
export const expiredTime = z.pipe(
  z.int(says('expiry_invalid')).check(z.gte(-1, says('expiry_invalid')), z.lte(timeMax, says('expiry_invalid'))),
  z.transform((time: number) => (time === 0 ? -1 : time)),
)

/** Most characters of a text that is searched for: as many as the longest name has, which is a model's. */
export const searchTextMax = 256

/** Free text of a query, trimmed and short enough to search with. */
export const searchText = z.pipe(
  text,
  z.pipe(
    z.transform((value: string) => value.trim().slice(0, searchTextMax)),
    z.string(),
  ),
)

/** A comma-separated list of ids in a query; other text in it is ignored. */
export const idList = (most: number) =>
  z.pipe(
    text,
    z.transform((list: string) => {
      const ids = list.split(',').filter((item) => /^\s*\d{1,15}\s*$/.test(item))
      return [...new Set(ids.map(Number))].slice(0, most)
    }),
  )

/** An e-mail address, stored in lower case, so that one mailbox has one spelling. */
export const emailAddress = z
  .string(says('email_invalid'))
  .check(z.trim(), z.toLowerCase(), lengthMax(254, 'email_invalid'), z.email(says('email_invalid')))

/** A search pages like a list. Compatible consoles send one call without a size, which returns the largest page. */
export const search = z.extend(pageOf(pageSizeMax), { keyword: searchText })

/** An id in the path or the body. */
export const id = z.pipe(
  z.transform((value) => (typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value)),
  z.int(says('id_invalid')).check(z.gte(1, says('id_invalid'))),
)

export const byId = z.object({ id })

/** For calls that return no data. */
export const nothing = z.null()

/** For calls without input. */
export const noInput = z.object({})

/** Longest name of a model. */
export const modelNameMax = 256

/** Whether a channel can offer a model of this name. */
export function isModelName(name: string): boolean {
  return name.length <= modelNameMax && /^[\w.:/@+-]+$/.test(name)
}

/** Trims every item of a comma-separated list, and drops empty and repeated ones. */
export function cleanList(list: string): string {
  const items = list.split(',').map((item) => item.trim())
  return [...new Set(items.filter((item) => item !== ''))].join(',')
}

/** A comma list on the wire, stored clean. */
export const commaListOf = (most: number, tooLong: FormKey) => z.pipe(textOf(most, tooLong), z.pipe(z.transform(cleanList), z.string()))

/** An IANA time zone, such as `Europe/Berlin`; empty = `utc_offset` says when days begin. */
export const zone = z.pipe(searchText, z.string().check(z.refine((name) => name === '' || isZone(name), says('zone_unknown'))))

function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
