/**
 * What is deleted, and when: read {@link dev.posthorn.relay.retention.RetentionKeeper} first. Users come in for
 * {@link dev.posthorn.relay.retention.Retention} and to let go of what a subscription holds.
 */
@NullMarked
package dev.posthorn.relay.retention;

import org.jspecify.annotations.NullMarked;
