/** What stands for a signature under thinking that Cursor did not sign: clients want one, and give it back. */
export const OWN_SIGNATURE = Buffer.from("curlew: thinking without a signature").toString("base64");
