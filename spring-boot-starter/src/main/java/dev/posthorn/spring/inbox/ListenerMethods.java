package dev.posthorn.spring.inbox;

import dev.posthorn.spring.InboxListener;
import dev.posthorn.spring.setup.SetupException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * Finds the methods with {@link InboxListener}, by the definitions of beans and not by the beans: one that is lazy would
 * never be made if nobody but Kafka wants something of it.
 */
final class ListenerMethods implements BeanFactoryAware, BeanPostProcessor {

    private static final Set<String> OF_REQUESTS = Set.of("request", "session", "websocket");

    private @Nullable ConfigurableListableBeanFactory beans;
    private @Nullable List<ListenerMethod> found;

    @Override
    public void setBeanFactory(BeanFactory beans) {
        this.beans = (ConfigurableListableBeanFactory) beans;
    }

    /** Looked for once, when all beans that are not lazy are there. */
    synchronized List<ListenerMethod> found() {
        if (found == null && beans != null) {
            List<ListenerMethod> all = new ArrayList<>();
            for (String name : beans.getBeanNamesForType(Object.class, true, false)) {
                if (!ScopedProxyUtils.isScopedTarget(name)) {
                    all.addAll(of(name, beans));
                }
            }
            found = List.copyOf(all);
        }
        return found == null ? List.of() : found;
    }

    /** For an application in which listeners cannot work; the problem is told of the first of them. */
    void requireNone(String problem, String remedy) {
        found().stream().findFirst().ifPresent(method -> {
            throw new SetupException(method + " " + problem, remedy);
        });
    }

    private static List<ListenerMethod> of(String name, ConfigurableListableBeanFactory beans) {
        String target = ScopedProxyUtils.getTargetBeanName(name);
        String real = beans.containsBeanDefinition(target) ? target : name;
        Class<?> type = AutoProxyUtils.determineTargetClass(beans, real);
        if (type == null) {
            return List.of();
        }
        List<ListenerMethod> methods = new ArrayList<>();
        annotated(type)
                .forEach((method, annotation) ->
                        methods.add(new ListenerMethod(bean(name, beans), type, method, annotation)));
        if (!methods.isEmpty() && beans.containsBeanDefinition(real)) {
            requireScope(methods.get(0), beans.getMergedBeanDefinition(real).getScope());
        }
        return methods;
    }

    /** One that is made anew for whoever asks is made anew for every event. */
    private static Supplier<Object> bean(String name, BeanFactory beans) {
        if (!beans.isSingleton(name)) {
            return () -> beans.getBean(name);
        }
        Object only = beans.getBean(name);
        return () -> only;
    }

    private static void requireScope(ListenerMethod method, @Nullable String scope) {
        if (scope != null && OF_REQUESTS.contains(scope)) {
            throw new SetupException(
                    method + " is in a bean of the scope '" + scope + "', and there is none where events are handled",
                    "Put it in a bean of another scope");
        }
    }

    private static Map<java.lang.reflect.Method, InboxListener> annotated(Class<?> type) {
        return !AnnotationUtils.isCandidateClass(type, InboxListener.class)
                ? Map.of()
                : MethodIntrospector.selectMethods(type, (MethodIntrospector.MetadataLookup<InboxListener>)
                        method -> AnnotatedElementUtils.findMergedAnnotation(method, InboxListener.class));
    }

    /** A lazy bean that is declared by an interface does not show its listeners before it is made. */
    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        List<ListenerMethod> known = knownYet();
        if (known != null) {
            Class<?> type = AopUtils.getTargetClass(bean);
            if (!annotated(type).isEmpty() && known.stream().noneMatch(each -> each.type() == type)) {
                throw new SetupException(
                        "The bean '" + beanName + "' of " + type.getName()
                                + " has methods with @InboxListener, but was made when all listeners had been started",
                        "Declare the bean by its class instead of an interface, or take @Lazy off");
            }
        }
        return bean;
    }

    private synchronized @Nullable List<ListenerMethod> knownYet() {
        return found;
    }
}
