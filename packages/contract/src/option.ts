import * as z from 'zod/mini'
import { changeRow } from './change.ts'
import { endpoint } from './endpoint.ts'
import { isSecurityOption, optionKeys } from './options.ts'
import { lengthMax, noInput, nothing, says, textOf } from './parts.ts'

const optionPair = z.object({ key: z.string(), value: z.string() })

/** Values are text; a boolean or number is accepted and converted. */
const value = z.pipe(
  z.transform((value) => (typeof value === 'boolean' || typeof value === 'number' ? String(value) : value)),
  z.string().check(z.maxLength(262_144, says('option_value_too_long'))),
)

/** Removes a secret. Without it an empty value keeps the stored secret, because forms never show it. */
const clear = z._default(z.boolean(), false)

/** What follows from a change: stored secrets that are not sent to the new server, and whether super-admin approval is pending. */
const changed = z.object({
  kept_back: z.array(z.string()),
  waits: z.boolean(),
  /** The former value stays in force until root has approved this one. */
  is_pending: z.boolean(),
})

/** What settings pages show beside the value of an option. */
const optionDetail = z.object({
  key: z.string(),
  /** A value is stored. For a secret this is all that is known of it. */
  is_set: z.boolean(),
  /** A stored secret is not sent, because it was entered for another server than the present one. */
  is_kept_back: z.boolean(),
  /**
   * The stored value cannot be read with this master key, or is damaged: the default applies until it is set again. Or the proposed value is
   * damaged: the one in force stays, and nobody can approve the other.
   */
  is_unreadable: z.boolean(),
  /** Waits for the confirmation or the approval of root. */
  waits: z.boolean(),
  /** Another value was proposed and takes effect when root approves it. */
  is_pending: z.boolean(),
  /** That value, for root and for whoever proposed it; empty for others. */
  pending_value: z.string(),
  /** Who changed it last; empty = unknown, or nobody. */
  changed_by: z.string(),
  /** Seconds since the epoch; 0 = unknown, or never. */
  changed_at: z.int(),
})
export type OptionDetail = z.output<typeof optionDetail>

/** What is stored sealed and can be entered again by people. */
export const unreadableKinds = ['channels', 'tokens', 'redemptions', 'options', 'notification_rules', 'second_factors'] as const
export type UnreadableKind = (typeof unreadableKinds)[number]

/** Rows of each kind with a value that cannot be read with the present master key. */
const unreadableCounts = z.object({
  channels: z.int(),
  /** Of all users; only its owner can give a token a new key. */
  tokens: z.int(),
  /** Without those that were redeemed. */
  redemptions: z.int(),
  /** Also those that are not secret, and damaged. */
  options: z.int(),
  notification_rules: z.int(),
  second_factors: z.int(),
} satisfies Readonly<Record<UnreadableKind, unknown>>)
export type UnreadableCounts = z.output<typeof unreadableCounts>

/** Kinds of public texts: Markdown with HTML in it, the same or the address of a page, HTML. */
export const previewKinds = ['markdown', 'page', 'html'] as const

/** An option with pending super-admin approval; the value of a secret one is empty. */
const waitingOption = z.object({
  key: z.string(),
  value: z.string(),
  is_secret: z.boolean(),
  /** The value is only proposed: it takes effect when root approves it. */
  is_pending: z.boolean(),
  in_force: z.string(),
})

const revision = z.string(says('pending_options_changed')).check(z.maxLength(256, says('pending_options_changed')))

export const option = {
  /** Does not return secret options. */
  list: endpoint({ method: 'GET', path: '/api/option/', access: 'admin', input: noInput, data: z.array(optionPair) }),
  update: endpoint({
    method: 'PUT',
    path: '/api/option/',
    access: 'admin',
    input: z.object({ key: z.string(says('option_unknown')).check(lengthMax(64, 'option_unknown')), value, clear }),
    data: changed,
    badJsonStatus: 400,
    credentialParts: optionKeys.filter(isSecurityOption),
  }),
  /** What an administrator must have entered again. At most ten seconds old while there is anything, where that is quickly counted. */
  unreadable: endpoint({ method: 'GET', path: '/api/option/unreadable', access: 'admin', input: noInput, data: unreadableCounts }),
  /** Of every option. */
  details: endpoint({
    method: 'GET',
    path: '/api/option/details',
    access: 'admin',
    input: noInput,
    data: z.object({
      options: z.array(optionDetail),
      /** Whether the server knows where releases are listed. */
      has_release_feed: z.boolean(),
    }),
  }),
  /** The last changes of an option, newest first. */
  history: endpoint({
    method: 'GET',
    path: '/api/option/history',
    access: 'admin',
    input: z.object({ key: textOf(64, 'option_unknown') }),
    data: z.array(changeRow),
  }),
  /** The HTML of a public text that is not saved yet. The address of a page is returned unchanged. */
  preview: endpoint({
    method: 'POST',
    path: '/api/option/preview',
    access: 'admin',
    input: z.object({ kind: z.enum(previewKinds), text: z.string().check(z.maxLength(262_144, says('option_value_too_long'))) }),
    data: z.string(),
  }),
  /** Sends a mail to the address of the caller's account. @returns the address */
  testMail: endpoint({ method: 'POST', path: '/api/option/test_mail', access: 'admin', input: noInput, data: z.string() }),
  /** Sends a fixed message through the message pusher. */
  testPusher: endpoint({ method: 'POST', path: '/api/option/test_pusher', access: 'admin', input: noInput, data: nothing }),
  /** The latest release of the feed that the operator has set. */
  release: endpoint({
    method: 'GET',
    path: '/api/option/release',
    access: 'admin',
    input: noInput,
    /** `body` is sanitized HTML. */
    data: z.object({ tag_name: z.string(), body: z.string() }),
  }),
  /**
   * Options that an administrator below root has proposed or set last, and that accounts, messages or keys rely on. A proposed value
   * is not in force. Until root has saved or confirmed the others, no account of an administrator can be entered or recovered by what
   * relies on them.
   */
  waiting: endpoint({
    method: 'GET',
    path: '/api/option/waiting',
    access: 'root',
    input: noInput,
    data: z.object({
      options: z.array(waitingOption),
      revision: z.string(),
      /** Channels of type 43 that forward all methods or all paths: root should limit them. */
      open_proxies: z.array(z.object({ id: z.int(), name: z.string() })),
      /** The management API responds at every host name, because the installation is older than the check and no name is configured. */
      answers_any_host: z.boolean(),
      /** Services whose logins are refused because `ServerAddress`, to which they send the browser back, is empty. */
      logins_without_address: z.array(z.string()),
    }),
  }),
  /** Confirms or approves them as they were shown: with an outdated revision nothing changes. */
  confirm: endpoint({
    method: 'POST',
    path: '/api/option/confirm',
    access: 'root',
    input: z.object({ revision }),
    data: nothing,
    needsSession: true,
  }),
  /** Rejects the proposed value of one option. */
  reject: endpoint({
    method: 'POST',
    path: '/api/option/reject',
    access: 'root',
    input: z.object({ key: textOf(64, 'option_unknown'), revision }),
    data: nothing,
    needsSession: true,
  }),
}
