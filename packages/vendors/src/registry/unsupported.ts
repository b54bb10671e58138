import type { ChatField, Dialect } from '../core/dialect.ts'
import { isGiven } from '../core/is-object.ts'
import type { JsonObject } from '../core/json.ts'
import type { Outgoing } from '../core/request.ts'
import type { UnsupportedQuery } from '../core/unsupported.ts'
import type { Vendor } from '../core/vendor.ts'
import { hasFreeTextTools } from '../protocols/shared/allowed-tools.ts'
import { lackedIn } from '../protocols/shared/feature-use.ts'
import { hasLegacyFunctions } from '../protocols/shared/legacy-functions.ts'
import { hasOtherFormat, lostInTranslation } from '../protocols/shared/lost-in-translation.ts'
import { isOpenAIForm } from '../protocols/shared/supports-extra.ts'

/** What is known of a request: before a channel is chosen its fields, afterwards what was built of it. */
export interface CheckedRequest {
  readonly dialect: Pick<Dialect, 'lacks'>
  /** Fields of a chat that it has and that not every vendor has. */
  readonly fields?: readonly ChatField[] | undefined
  readonly built?: TranslatedRequest
}

/** A request that a dialect has translated. */
interface TranslatedRequest extends Pick<UnsupportedQuery, 'kind' | 'model'> {
  readonly dialect: Dialect
  /** The requested chat, as far as it is known in OpenAI's form. */
  readonly chat: JsonObject
  readonly outgoing: Outgoing
  /** The body after the vendor's record changed it. */
  readonly adjusted: JsonObject
}

/** The first parameter that the vendor or its dialect does not support and that changes the response if it is left out. */
export function unsupportedParameter(vendor: Vendor, { dialect, fields = [], built }: CheckedRequest): string | undefined {
  const { drop } = vendor.chat ?? {}
  const field = fields.find((name) => dialect.lacks?.includes(name) || drop?.includes(name))
  if (field !== undefined || built === undefined) return field
  const { kind, model, outgoing } = built
  const lost = kind === 'chat' ? unsupportedOfChat(vendor, built) : undefined
  return lost ?? vendor.unsupported?.({ kind, model, body: outgoing.body }) ?? outgoing.refused
}

/** What no chat of the vendor, of the model or of the dialect has. */
function unsupportedOfChat(vendor: Vendor, { model, dialect, chat, outgoing, adjusted }: TranslatedRequest): string | undefined {
  const { lacks = [], lacksFor } = vendor.chat ?? {}
  const lacked = lackedIn(chat, lacks) ?? lackedIn(chat, lacksFor?.(model) ?? [])
  return lacked ?? lostOf(dialect, chat, adjusted) ?? freeTextTools(dialect, chat) ?? oldFunctions(dialect, chat, outgoing)
}

/** What another form than OpenAI's does not have, and a form of the response that the vendor's record has left out. */
function lostOf(dialect: Dialect, chat: JsonObject, adjusted: JsonObject): string | undefined {
  if (!isOpenAIForm(dialect)) return lostInTranslation(chat)
  return hasOtherFormat(chat) && !isGiven(adjusted['response_format']) ? 'response_format' : undefined
}

/** Another form than OpenAI's has no tools whose input is free text. */
function freeTextTools(dialect: Dialect, chat: JsonObject): string | undefined {
  return !isOpenAIForm(dialect) && hasFreeTextTools(chat) ? 'tools' : undefined
}

/** Another form than OpenAI's that does not translate functions in the old form. */
function oldFunctions(dialect: Dialect, chat: JsonObject, { callsFunctions }: Outgoing): string | undefined {
  return !isOpenAIForm(dialect) && hasLegacyFunctions(chat) && callsFunctions !== true ? 'functions' : undefined
}
