import { developerApi } from '../../../protocols/gemini/host.ts'
import { geminiImageEditsAt, geminiImagesAt, geminiImageVariationsAt } from '../../../protocols/gemini/images.ts'
import { geminiSpeechAt } from '../../../protocols/gemini/speech.ts'

export const geminiImages = geminiImagesAt(developerApi)
export const geminiImageEdits = geminiImageEditsAt(developerApi)
export const geminiImageVariations = geminiImageVariationsAt(developerApi)
export const geminiSpeech = geminiSpeechAt(developerApi)
