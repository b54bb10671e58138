import type { Vendor } from '../../../core/vendor.ts'
import { gemini } from '../../../protocols/gemini/dialect.ts'
import { geminiImageEdits, geminiImages, geminiImageVariations } from '../gemini/dialects.ts'
import { geminiVendor } from '../gemini/vendor.ts'

/**
 * Gemini's models that draw, in chats and behind the calls for images. Source: Gemini API, "Image generation" and "Deprecations", stored
 * copies read 2026-11-22: `gemini-3.1-flash-image` ended on 2026-10-29, the previews before, `gemini-2.5-flash-image` is about to.
 */
export const nano: Vendor = {
  type: 50,
  name: 'Nano',
  color: 'yellow',
  docs: {
    page: 'https://ai.google.dev/gemini-api/docs/image-generation',
    // It lists what the model can do.
    chat: 'https://ai.google.dev/gemini-api/docs/models/gemini-3-pro-image',
  },
  group: 'media',
  dialects: { chat: gemini, images: geminiImages, 'image-edits': geminiImageEdits, 'image-variations': geminiImageVariations },
  routes: { baseUrl: geminiVendor.routes.baseUrl },
  auth: geminiVendor.auth,
  key: { hint: geminiVendor.key.hint },
  otherLabel: { en: 'API version (v1beta if empty)', zh: 'API 版本（默认 v1beta）' },
  models: { names: ['gemini-nano-banana-2.1', 'gemini-3-pro-image', 'gemini-3.1-flash-lite-image'] },
}
