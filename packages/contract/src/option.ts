import * as z from 'zod/mini'
import { endpoint } from './endpoint.ts'
import { noInput, nothing, says } from './parts.ts'

const optionPair = z.object({ key: z.string(), value: z.string() })

/** Values are text; a boolean or number is accepted and converted. */
const value = z.pipe(
  z.transform((given) => (typeof given === 'boolean' || typeof given === 'number' ? String(given) : given)),
  z.string(says('option_value_invalid')).check(z.maxLength(262_144, says('option_value_too_long'))),
)

/** Removes a secret. Without it an empty value keeps the stored secret, because forms never show it. */
const clear = z._default(z.boolean(), false)

/** An option that waits for confirmation by root; the value of a secret one is empty. */
const waitingOption = z.object({ key: z.string(), value: z.string(), is_secret: z.boolean() })

export const option = {
  /** Does not return secret options. */
  list: endpoint({ method: 'GET', path: '/api/option/', access: 'admin', input: noInput, data: z.array(optionPair) }),
  update: endpoint({
    method: 'PUT',
    path: '/api/option/',
    access: 'admin',
    input: z.object({ key: z.string(says('option_unknown')), value, clear }),
    data: nothing,
    badJsonStatus: 400,
  }),
  /**
   * Options that an administrator below root set last and that accounts, messages or keys rely on. Until root has saved or confirmed
   * them, no account of an administrator can be entered or recovered by what relies on them.
   */
  waiting: endpoint({
    method: 'GET',
    path: '/api/option/waiting',
    access: 'root',
    input: noInput,
    data: z.object({ options: z.array(waitingOption), revision: z.string() }),
  }),
  /** Confirms them as they were shown: with an outdated revision nothing is confirmed. */
  confirm: endpoint({
    method: 'POST',
    path: '/api/option/confirm',
    access: 'root',
    input: z.object({ revision: z.string(says('option_waiting_changed')).check(z.maxLength(256, says('option_waiting_changed'))) }),
    data: nothing,
  }),
}
