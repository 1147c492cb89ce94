/**
 * Clients that say what no proper client would, and tell what they were answered. Public for the attacks alone.
 */
@NullMarked
package dev.posthorn.faults.attacks.client;

import org.jspecify.annotations.NullMarked;
