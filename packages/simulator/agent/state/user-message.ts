import { clone, create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  type SelectedImage,
  SelectedImageSchema,
  type UserMessage,
  type UserMessageAction,
  UserMessageSchema,
} from "@curlew/wire/gen/agent_v1_pb.js";
import { type ImageNote, noteImage } from "../../model/image-note.js";
import type { Entry } from "../../model/transcript.js";
import type { BlobChannel } from "../channels/blob-channel.js";
import type { Conversation } from "./conversation.js";

/** Begins a turn with the message and those to be put before it. */
export async function takeUserMessage(
  { userMessage, prependUserMessages }: UserMessageAction,
  conversation: Conversation,
  blobs: BlobChannel,
  requestId: string,
): Promise<void> {
  for (const message of prependUserMessages) conversation.append(await toEntry(message, blobs));
  const message = userMessage ?? create(UserMessageSchema);
  conversation.beginTurn(await withStoredImages(message, blobs), await toEntry(message, blobs), requestId);
}

async function toEntry(message: UserMessage, blobs: BlobChannel): Promise<Entry> {
  const images: ImageNote[] = [];
  for (const image of message.selectedContext?.selectedImages ?? []) {
    images.push(noteImage(image.mimeType, await imageBytes(image, blobs)));
  }
  return { role: "user", text: await textOf(message, blobs), images };
}

async function textOf({ text, textBlobId }: UserMessage, blobs: BlobChannel): Promise<string> {
  if (text !== "" || textBlobId === undefined) return text;
  const [stored] = await blobs.fetch([textBlobId]);
  return Buffer.from(stored ?? []).toString();
}

async function imageBytes({ dataOrBlobId }: SelectedImage, blobs: BlobChannel): Promise<Uint8Array> {
  switch (dataOrBlobId.case) {
    case "data":
      return dataOrBlobId.value;
    case "blobIdWithData":
      blobs.hold(dataOrBlobId.value.blobId, dataOrBlobId.value.data);
      return dataOrBlobId.value.data;
    case "blobId": {
      // Some clients put the image itself here; no blob id has that length.
      const [stored] = dataOrBlobId.value.byteLength === 32 ? await blobs.fetch([dataOrBlobId.value]) : [];
      if (stored !== undefined) return stored;
    }
  }
  throw new ConnectError("Image not found", Code.InvalidArgument);
}

/** The message as its turn keeps it: images become blobs of their own. */
async function withStoredImages(message: UserMessage, blobs: BlobChannel): Promise<UserMessage> {
  const stored = clone(UserMessageSchema, message);
  for (const [index, image] of (stored.selectedContext?.selectedImages ?? []).entries()) {
    const [id] = await blobs.store([await imageBytes(image, blobs)]);
    const { uuid, path, mimeType } = image;
    const reference = create(SelectedImageSchema, { uuid, path, mimeType });
    if (id !== undefined) reference.dataOrBlobId = { case: "blobId", value: id };
    stored.selectedContext?.selectedImages.splice(index, 1, reference);
  }
  return stored;
}
