using NUnit.Framework;
using VectorPipe.Devices.Portable;
using VectorPipe.Model.Errors;

namespace VectorPipe.Tests.Devices.Portable;

[Alone]
public sealed class BlockingReadTests
{
    private static readonly object[][] _errors =
    [
        [new IOException("x", Errno.EIO), Errno.EIO],
        [new IOException("x", Errno.ENXIO), Errno.ENXIO],
        [new IOException("x", unchecked((int)0x80070021)), Errno.EIO],
        [new UnauthorizedAccessException("x", new IOException("x", Errno.EPERM)), Errno.EPERM],
        [new UnauthorizedAccessException("x"), Errno.EACCES],
        [new OperationCanceledException(), Errno.ECANCELED],
        [new ObjectDisposedException("x"), Errno.EBADF],
        [new ArgumentException("x"), Errno.EINVAL],
        [new NotSupportedException(), Errno.EOPNOTSUPP],
    ];

    [TestCaseSource(nameof(_errors))]
    public void Exceptions_become_error_numbers(Exception error, int errno) =>
        Assert.That(BlockingRead.ToErrno(error), Is.EqualTo(errno));
}
