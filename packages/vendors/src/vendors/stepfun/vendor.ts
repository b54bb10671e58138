import { bearer } from '../../core/auth.ts'
import { isObject } from '../../core/is-object.ts'
import { unsupportedByKind } from '../../core/unsupported.ts'
import type { Vendor } from '../../core/vendor.ts'
import { askField } from '../../protocols/balances/shapes.ts'
import { lowToHigh, modelOf, withEffort, withoutFields } from '../../protocols/compat/fields.ts'
import { withSystemRole } from '../../protocols/compat/messages.ts'
import { speech, transcriptions } from '../../protocols/openai/audio.ts'
import { openai } from '../../protocols/openai/dialect.ts'
import { images } from '../../protocols/openai/images.ts'
import { realtime } from '../../protocols/openai/realtime.ts'
import { stepfunImageEdits } from './image-edits.ts'
import { stepfunMedia } from './media.ts'

/**
 * Source: platform.stepfun.com, "Chat completion", "Error codes" and "Pricing" of 2026-10-07, stored copies read 2026-11-22; "Realtime" (OpenAI's
 * events) and "Image editing", read 2026-11-24. Keys of the international site belong to https://api.stepfun.ai.
 */
export const stepfun: Vendor = {
  type: 32,
  name: 'StepFun',
  nameZh: '阶跃星辰',
  color: 'teal',
  docs: {
    page: 'https://platform.stepfun.com/docs/zh/api-reference/chat/chat-completion-create',
  },
  group: 'china',
  dialects: {
    chat: openai,
    images: images,
    'image-edits': stepfunImageEdits,
    speech: speech,
    transcriptions: transcriptions,
    realtime: realtime,
  },
  routes: { baseUrl: 'https://api.stepfun.com' },
  auth: bearer,
  key: { hint: 'API key' },
  askBalance: askField('/v1/accounts', 'balance'),
  chat: {
    drop: ['logprobs', 'top_logprobs', 'logit_bias', 'top_k', 'seed'],
    rename: { max_completion_tokens: 'max_tokens' },
    streamUsage: true,
    lacks: ['files in'],
    patch: (body) => {
      const chat = withSystemRole(body)
      return reasons.test(modelOf(body)) ? withEffort(chat, lowToHigh) : withoutFields(chat, ['reasoning_effort', 'reasoning'])
    },
  },
  // Its own tool of that name has another form, and is passed on.
  unsupported: unsupportedByKind({
    chat: ({ web_search_options: options }) => (isObject(options) ? 'web_search_options' : null),
    ...stepfunMedia.unsupported,
  }),
  patches: stepfunMedia.patches,
  models: {
    names: [
      ...['step-5-preview', 'step-3.7-flash', 'step-3.5-flash', 'step-3.5-flash-2603', 'step-1o-turbo-vision', 'stepaudio-2.5-chat'],
      ...['step-audio-r1.5', 'step-image-edit-2', 'step-2x-large', 'stepaudio-3-tts', 'stepaudio-2.5-tts', 'step-tts-2', 'step-tts-mini'],
      ...['step-asr', 'step-asr-1.1'],
    ],
  },
  failures: {
    invalid_api_key: 'bad_key',
    '402': 'no_quota',
    '451': 'content_filter',
    '400': [[/model\b.{0,80}\b(?:not (?:found|exist|supported)|does not exist|invalid)|invalid model/i, 'model_not_found']],
  },
}

/** The models that take a level of reasoning. */
const reasons = /^step-(?:3\.[7-9]|[4-9])/
