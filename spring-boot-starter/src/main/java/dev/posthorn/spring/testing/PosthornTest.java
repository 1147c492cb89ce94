package dev.posthorn.spring.testing;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;

/**
 * Beside {@code @SpringBootTest}: the application delivers nothing by itself and takes nothing from Kafka. Instead there are
 * the beans {@link RecordedOutbox}, {@link dev.posthorn.testing.SteppedRelay}, which serves the application's subscriptions,
 * and {@link RecordingSinks}, which are in the place of their sinks.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@Import(SteppedConfiguration.class)
public @interface PosthornTest {}
