/** What an application holds: the outbox it records to. */
@NullMarked
package dev.posthorn;

import org.jspecify.annotations.NullMarked;
