/** Another number every day, so that the samples of a week are different ones. `LINEAR_SEED` repeats one. */
export const seedOfDay = Number(process.env['LINEAR_SEED'] ?? Math.floor(Date.now() / 86_400_000))
