import { preferredTestModel } from '@sluice/contract'

/** The model that a test uses: the chosen one if the channel still has it, or else the server's default. */
export function testModelOf(models: readonly string[], chosen: string | undefined): string {
  if (chosen !== undefined && models.includes(chosen)) return chosen
  return models.includes(preferredTestModel) ? preferredTestModel : (models[0] ?? '')
}
