using NUnit.Framework;
using VectorPipe.Building;

namespace VectorPipe.Tests.Api.Builds;

internal sealed class BuildErrorsTests
{
    private static readonly IndexWriteException _typed = new("the disk is full");
    private static readonly ArgumentException _other = new("too short");
    private static readonly OperationCanceledException _cancelled = new("given up");

    [Test]
    public void A_typed_error_comes_before_any_other_whichever_thread_ended_first()
    {
        Assert.That(BuildErrors.Choose(new AggregateException(_other, _typed)), Is.SameAs(_typed));
        Assert.That(BuildErrors.Choose(new AggregateException(_cancelled, _other, _typed)), Is.SameAs(_typed));
        Assert.That(BuildErrors.Choose(new AggregateException(_cancelled, new AggregateException(_other, _typed))), Is.SameAs(_typed));
    }

    [Test]
    public void An_error_comes_before_a_cancellation() =>
        Assert.That(BuildErrors.Choose(new AggregateException(_cancelled, _other)), Is.SameAs(_other));

    [Test]
    public void The_first_of_equal_errors_is_chosen() =>
        Assert.That(BuildErrors.Choose(new AggregateException(_typed, new VectorPipeException("later"))), Is.SameAs(_typed));

    [Test]
    public void Only_cancellations_give_a_cancellation() =>
        Assert.That(BuildErrors.Choose(new AggregateException(_cancelled, new OperationCanceledException())), Is.SameAs(_cancelled));
}
