package dev.posthorn.spring.relay;

import dev.posthorn.spring.settings.SubscriptionProperties;
import dev.posthorn.subscription.Subscription;
import java.util.Map;
import java.util.Set;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/** Makes every subscription of {@code posthorn.subscriptions} a bean, like those that an application defines itself. */
final class SubscriptionRegistrar implements ImportBeanDefinitionRegistrar {

    private static final Bindable<Map<String, SubscriptionProperties>> SUBSCRIPTIONS =
            Bindable.mapOf(String.class, SubscriptionProperties.class);

    /** By name and method, not by a lambda: ahead-of-time processing writes definitions down. */
    private static final String FACTORY = "posthornSubscriptionFactory";

    private final Environment environment;

    SubscriptionRegistrar(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
        names(environment).forEach(name -> register(name, registry));
    }

    static Set<String> names(Environment environment) {
        return Binder.get(environment)
                .bind("posthorn.subscriptions", SUBSCRIPTIONS)
                .orElse(Map.of())
                .keySet();
    }

    private void register(String name, BeanDefinitionRegistry registry) {
        registry.registerBeanDefinition(
                "posthornSubscription." + name,
                BeanDefinitionBuilder.rootBeanDefinition(Subscription.class)
                        .setFactoryMethodOnBean("create", FACTORY)
                        .addConstructorArgValue(name)
                        .getBeanDefinition());
    }
}
