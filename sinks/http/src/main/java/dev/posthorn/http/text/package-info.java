/**
 * What may stand in a setting, a header or a JSON document, and how it is written there; all others refuse settings by
 * {@code Setting}. Public for the HTTP sink alone.
 */
@NullMarked
package dev.posthorn.http.text;

import org.jspecify.annotations.NullMarked;
