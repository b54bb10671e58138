import type { RequestParams } from '../model/request-params.ts'
import type { Telemetry } from '../model/telemetry.ts'
import { measureMedia } from '../pricing/measure-media.ts'
import type { MediaMeter } from '../pricing/media-meter.ts'
import { assertAffordable, type ChargeRequest, type HoldDeps, payableOf } from './open-charge.ts'
import { leastReservation } from './reserve-request.ts'

export interface MeasureDeps extends HoldDeps {
  readonly mediaMeter: MediaMeter
  readonly telemetry: Pick<Telemetry, 'measuring'>
}

/** The parameters with what the media of the request cost, whose caller can pay at least the rest. @throws AppError */
export async function measureRequest(
  deps: MeasureDeps,
  request: Pick<ChargeRequest, 'params' | 'caller' | 'permit' | 'callType' | 'resolvedPrice' | 'types'>,
): Promise<RequestParams> {
  const { params, caller, permit, callType } = request
  const { least } = leastReservation(payableOf(deps, request))
  await assertAffordable(deps, { caller, permit }, least)
  deps.telemetry.measuring(callType.kind)
  return await measureMedia(params, deps.mediaMeter)
}
