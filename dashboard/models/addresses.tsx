import type { ComponentChildren } from "preact";
import type { ClientsAnswer } from "../../src/page/contract.js";
import { Card } from "../parts/card.js";
import { Code } from "../parts/copy.js";

interface AddressesProps extends Pick<ClientsAnswer, "baseUrls" | "asksForKey"> {
  readonly children: ComponentChildren;
}

/** Where clients send their requests, and with which key. */
export function Addresses({ baseUrls, asksForKey, children }: AddressesProps) {
  return (
    <Card title="Point a client here">
      <dl class="models-addresses">
        <div>
          <dt>OpenAI-compatible</dt>
          <dd>
            <Code text={baseUrls.openai} what="the base URL for OpenAI-compatible clients" />
            <span class="faint">Chat Completions and Responses</span>
          </dd>
        </div>
        <div>
          <dt>Anthropic-compatible</dt>
          <dd>
            <Code text={baseUrls.anthropic} what="the base URL for Anthropic-compatible clients" />
            <span class="faint">Messages; some clients want /v1 at the end</span>
          </dd>
        </div>
        <div>
          <dt>API key</dt>
          <dd>
            {asksForKey ? (
              <>
                <Code text="curlew keys add NAME" what="the command that adds a key" />
                <span class="faint">Clients need a key. This makes one and prints it once.</span>
              </>
            ) : (
              <>
                <Code text="anything" what="a key that works" />
                <span class="faint">
                  No key is needed: any text works. To tell clients apart, give each one with{" "}
                  <code>curlew keys add</code>; from then on all need one.
                </span>
              </>
            )}
          </dd>
        </div>
      </dl>
      {children}
    </Card>
  );
}
