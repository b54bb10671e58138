import type { ClientProtocol } from '../../model/client-protocol.ts'
import { openAiProtocol } from './open-ai.ts'

/** The form of Suno-API, which its clients know (docs.newapi.pro, "Suno Music", read 2026-11-23). */
export const sunoProtocol: ClientProtocol = {
  ...openAiProtocol,
  errorBody: ({ message, code, type }) => ({ code: code ?? type, message, data: null }),
}
