/** The header with which the page shows the proof of its session. Browsers send it to no other address, unlike a cookie. */
export const PAGE_HEADER = "x-curlew-page";
