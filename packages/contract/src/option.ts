import * as z from 'zod/mini'
import { endpoint } from './endpoint.ts'
import { noInput, nothing, says } from './parts.ts'

const optionPair = z.object({ key: z.string(), value: z.string() })

/** Values travel as text; a boolean or number is taken and written as text. */
const value = z.pipe(
  z.transform((given) => (typeof given === 'boolean' || typeof given === 'number' ? String(given) : given)),
  z.string(says('option_value_invalid')).check(z.maxLength(262_144, says('option_value_too_long'))),
)

export const option = {
  /** Secret options are never among them. */
  list: endpoint({ method: 'GET', path: '/api/option/', access: 'admin', input: noInput, data: z.array(optionPair) }),
  update: endpoint({
    method: 'PUT',
    path: '/api/option/',
    access: 'admin',
    input: z.object({ key: z.string(says('option_unknown')), value }),
    data: nothing,
    badJsonStatus: 400,
  }),
}
