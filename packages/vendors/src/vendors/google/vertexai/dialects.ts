import { geminiImageEditsAt, geminiImagesAt, geminiImageVariationsAt } from '../../../protocols/gemini/images.ts'
import { geminiSpeechAt } from '../../../protocols/gemini/speech.ts'
import { vertexAi } from './host.ts'

export const vertexAiImages = geminiImagesAt(vertexAi)
export const vertexAiImageEdits = geminiImageEditsAt(vertexAi)
export const vertexAiImageVariations = geminiImageVariationsAt(vertexAi)
export const vertexAiSpeech = geminiSpeechAt(vertexAi)
