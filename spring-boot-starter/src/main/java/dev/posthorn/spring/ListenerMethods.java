package dev.posthorn.spring;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/** Finds the methods with {@link InboxListener}. */
final class ListenerMethods implements BeanPostProcessor {

    private final List<ListenerMethod> found = new ArrayList<>();
    private final Set<Class<?>> without = ConcurrentHashMap.newKeySet();

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        Class<?> type = AopUtils.getTargetClass(bean);
        if (!without.contains(type) && AnnotationUtils.isCandidateClass(type, InboxListener.class)) {
            collect(bean, type);
        }
        return bean;
    }

    private void collect(Object bean, Class<?> type) {
        Map<java.lang.reflect.Method, InboxListener> methods =
                MethodIntrospector.selectMethods(type, (MethodIntrospector.MetadataLookup<InboxListener>)
                        method -> AnnotatedElementUtils.findMergedAnnotation(method, InboxListener.class));
        if (methods.isEmpty()) {
            without.add(type);
        }
        synchronized (found) {
            methods.forEach((method, annotation) -> found.add(
                    new ListenerMethod(bean, AopUtils.selectInvocableMethod(method, bean.getClass()), annotation)));
        }
    }

    List<ListenerMethod> found() {
        synchronized (found) {
            return List.copyOf(found);
        }
    }
}
