using NUnit.Framework;

namespace VectorPipe.Tool.Tests.Measuring;

public sealed class ChoicesTests
{
    [TestCase("l2", DistanceMetric.L2)]
    [TestCase("L2", DistanceMetric.L2)]
    [TestCase("Euclidean", DistanceMetric.L2)]
    [TestCase("dot", DistanceMetric.InnerProduct)]
    [TestCase("IP", DistanceMetric.InnerProduct)]
    [TestCase("COSINE", DistanceMetric.Cosine)]
    [TestCase("cos", DistanceMetric.Cosine)]
    public void A_metric_has_several_names_in_any_case(string name, DistanceMetric metric) =>
        Assert.That(Choices.Metric(name), Is.EqualTo(metric));

    [TestCase("f32", VectorElementType.Float32)]
    [TestCase("Float16", VectorElementType.Float16)]
    [TestCase("U8", VectorElementType.UInt8)]
    [TestCase("i8", VectorElementType.Int8)]
    public void An_element_type_has_several_names_in_any_case(string name, VectorElementType type) =>
        Assert.That(Choices.ElementType(name), Is.EqualTo(type));

    [Test]
    public void An_unknown_name_is_refused_with_the_usual_names() =>
        Assert.That(
            () => Choices.Metric("l3"),
            Throws.TypeOf<UsageException>().With.Message.EqualTo("--metric: expected one of l2, ip, cosine; found 'l3'."));

    [TestCase("On", true)]
    [TestCase("off", false)]
    [TestCase(null, null)]
    public void A_switch_is_on_or_off_in_any_case(string? value, bool? expected) =>
        Assert.That(Choices.OnOff("--x", value), Is.EqualTo(expected));
}
