import * as z from 'zod/mini'
import { channelLimits } from './channel-limits.ts'
import { isHttpUrl, isJsonObject, isModelMapping, rowsIn } from './channel-texts.ts'
import { addressMax, cleanList, isModelName, jsonTextMax, lengthMax, nullIs, says } from './parts.ts'
import { withoutTrailingSlashes } from './trailing-slashes.ts'

/** Longest tag of a channel. */
export const channelTagMax = 64

/** Null and missing leave the field unchanged: the edit form sends whole rows, the list sends single fields. */
export const maybe = <T extends z.ZodMiniType>(schema: T) => z.optional(z.nullable(schema))

export const name = z
  .string(says('channel_name_and_key_required'))
  .check(z.trim(), z.minLength(1, says('channel_name_and_key_required')), z.maxLength(128, says('channel_name_too_long')))
/** The key of a channel that is not saved yet, to list its models. */
export const unsavedKey = z.string(says('channel_key_required')).check(z.trim(), z.maxLength(65_536, says('channel_key_too_long')))
export const type = z.int(says('channel_type_unknown')).check(z.gte(1, says('channel_type_unknown')))
/** A form may send back the 3 that it was filled with. Only the server sets 3, so this changes nothing. */
export const status = z.int(says('status_invalid')).check(z.gte(1, says('status_invalid')), z.lte(3, says('status_invalid')))
export const weight = z.int(says('weight_invalid')).check(z.gte(0, says('weight_invalid')), z.lte(1_000_000, says('weight_invalid')))
export const priority = z
  .int(says('priority_invalid'))
  .check(z.gte(-1_000_000_000, says('priority_invalid')), z.lte(1_000_000_000, says('priority_invalid')))
export const baseUrl = z.pipe(
  z.pipe(
    z.string(says('base_url_invalid')).check(lengthMax(addressMax, 'address_too_long')),
    z.transform((value: string) => withoutTrailingSlashes(value.trim())),
  ),
  z.string().check(z.refine((value) => value === '' || isHttpUrl(value), says('base_url_invalid'))),
)
export const modelMapping = z.string(says('model_mapping_invalid')).check(
  z.trim(),
  lengthMax(jsonTextMax, 'json_too_long'),
  z.refine((value) => value === '' || isModelMapping(value), { error: says('model_mapping_invalid'), abort: true }),
  z.refine((value) => value === '' || rowsIn(value) <= channelLimits.rows, says('model_mapping_too_long')),
)
export const config = z.string(says('config_invalid')).check(
  lengthMax(65_536, 'text_too_long'),
  z.refine((value) => value === '' || isJsonObject(value), says('config_invalid')),
)
export const models = z.pipe(
  z.pipe(z.string(says('channel_models_required')).check(lengthMax(262_144, 'channel_models_too_long')), z.transform(cleanList)),
  z.string().check(
    z.refine((list) => list.split(',').length <= channelLimits.models, { error: says('channel_models_too_many'), abort: true }),
    z.refine((list) => list.split(',').every((model) => model === '' || isModelName(model)), says('model_name_invalid')),
  ),
)
export const group = z.pipe(
  z.string(says('invalid_parameter')).check(lengthMax(1_024, 'groups_too_long')),
  z.transform((list: string) => cleanList(list) || 'default'),
)

export const tag = z.string(says('channel_tag_too_long')).check(z.trim(), z.maxLength(channelTagMax, says('channel_tag_too_long')))

/** A field of a new channel: missing and null mean empty. */
export const orEmpty = <T extends z.ZodMiniType<string, string>>(schema: T) => z.prefault(nullIs('', schema), '')
export const missingIs0 = z.transform((value: unknown) => value ?? 0)
