import type { BatchForm } from '../../core/batch-form.ts'
import { oneModelBatches } from '../../protocols/batches/openai-forms.ts'

/** Azure OpenAI, "Getting started with Azure OpenAI batch deployments", a stored copy read 2026-11-27: a batch goes to one deployment. */
export const azureBatches: BatchForm = { ...oneModelBatches, chats: '/chat/completions', hasOnlyChats: true }
