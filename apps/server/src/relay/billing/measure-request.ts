import type { RequestParams } from '../model/request-params.ts'
import type { Telemetry } from '../model/telemetry.ts'
import { measureMedia } from '../pricing/measure-media.ts'
import type { MediaMeter } from '../pricing/media-meter.ts'
import { assertAffordable, type ChargeOrder, type HoldDeps } from './open-charge.ts'
import { reserveFor, uncountedIn, uncountedWithin } from './reserve.ts'

export interface MeasureDeps extends HoldDeps {
  readonly mediaMeter: MediaMeter
  readonly telemetry: Pick<Telemetry, 'measuring'>
}

/** The parameters with what the media of the request cost, whose caller can pay at least the rest. @throws AppError */
export async function measureRequest(
  deps: MeasureDeps,
  {
    params,
    caller,
    permit,
    asked,
    resolvedPrice,
    types,
  }: Pick<ChargeOrder, 'params' | 'caller' | 'permit' | 'asked' | 'resolvedPrice' | 'types'>,
): Promise<RequestParams> {
  const price = resolvedPrice.dearestOf(types)
  const uncountedTokens = uncountedWithin(uncountedIn(params).least, params, price)
  const { least } = reserveFor({ ...params, uncountedTokens }, price, deps.settings())
  await assertAffordable(deps, { caller, permit }, least)
  deps.telemetry.measuring(asked.kind)
  return await measureMedia(params, deps.mediaMeter)
}
