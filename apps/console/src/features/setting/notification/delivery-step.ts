/** Deliveries that are shown at first, and that each press of the button adds. */
export const deliveryStep = 10
