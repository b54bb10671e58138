import { preferredTestModel } from '@sluice/contract'

/** The model that a test uses: the one that was chosen, while the channel still has it, or the one that the server would choose. */
export function testModelOf(models: readonly string[], chosen: string | undefined): string {
  if (chosen !== undefined && models.includes(chosen)) return chosen
  return models.includes(preferredTestModel) ? preferredTestModel : (models[0] ?? '')
}
