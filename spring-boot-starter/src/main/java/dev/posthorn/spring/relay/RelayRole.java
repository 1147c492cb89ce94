package dev.posthorn.spring.relay;

import dev.posthorn.spring.settings.Role;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Holds for applications that deliver. */
final class RelayRole implements Condition {

    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
        return Binder.get(context.getEnvironment())
                .bind("posthorn.role", Role.class)
                .orElse(Role.BOTH)
                .delivers();
    }
}
