import { baseOf, withoutTrailingSlashes } from '../../core/join-url.ts'
import { openaiVideosAt, soraLengths } from '../../protocols/openai/videos.ts'

/**
 * OpenAI's videos at Azure, which has them in the interface without versions only (Microsoft Foundry, "Video generation with Sora 2" and the REST
 * reference, "Videos", stored copies read 2026-11-25). Its models are deployments with names of their own, all of Sora 2. The token of Entra and the key are sent as for every other call.
 */
export const azureVideos = openaiVideosAt({
  rootOf: (baseUrl) => (withoutTrailingSlashes(baseUrl).endsWith('/openai/v1') ? baseUrl : `${baseOf(baseUrl)}/openai`),
  actions: ['remix', 'edit', 'extend'],
  wantsForms: true,
  lengthsOf: (_, action) => (action === 'create' ? [4, 8, 12] : soraLengths),
})
