/**
 * What all documents have in common that people keep under a name: they are sent whole or as a patch, stored with a
 * revision and without their secrets, changed only by whoever has seen what they change, and every change is in the audit.
 * Read {@code NamedDocuments} first. Subscriptions, guards and event types come in.
 */
@NullMarked
package dev.posthorn.server.documents;

import org.jspecify.annotations.NullMarked;
