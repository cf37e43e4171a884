using System.Runtime.InteropServices;
using PureHDF;
using PureHDF.Selections;
using PureHDF.VOL.Native;

namespace VectorPipe.Tool.Inputs;

/// <summary>Vectors from a data set of HDF5.</summary>
internal sealed class Hdf5Source : ArraySource
{
    private readonly NativeFile _file;
    private readonly NativeDataset _data;

    private Hdf5Source(NativeFile file, string place, NativeDataset data, StoredElement element)
        : base(place, element, (long)data.Space.Dimensions[0], (long)data.Space.Dimensions[1]) => (_file, _data) = (file, data);

    /// <param name="usual">The data set, if the name has none.</param>
    public static Hdf5Source Open(InputName name, string usual)
    {
        string member = name.Member ?? usual;
        string place = $"'{name.Path}:{member}'";
        NativeFile file = Hdf5File.Open(name.Path);
        try
        {
            NativeDataset data = Hdf5File.Matrix(file, name.Path, member);
            IH5DataType type = data.Type;
            StoredElement? element = type.Class switch
            {
                H5DataTypeClass.FloatingPoint => StoredElement.Of(isFloat: true, isSigned: true, type.Size),
                H5DataTypeClass.FixedPoint => StoredElement.Of(isFloat: false, type.FixedPoint.IsSigned, type.Size),
                _ => null,
            };
            return new Hdf5Source(file, place, data, element ?? throw new UsageException(
                $"{place}: expected components of {StoredElement.Names}; found {type.Class} of {type.Size} bytes."));
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    public override ValueTask DisposeAsync()
    {
        _file.Dispose();
        return base.DisposeAsync();
    }

    protected override ValueTask ReadRowsAsync(long first, int count, Memory<byte> rows, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var selection = new HyperslabSelection(2, [(ulong)first, 0], [(ulong)count, (ulong)Dimension]);
        return Hdf5File.Guard(Place.Trim('\''), () =>
        {
            if (StoredBytes == sizeof(double))
                _data.Read(MemoryMarshal.Cast<byte, double>(rows.Span), selection);
            else if (ElementType == VectorElementType.Float32)
                _data.Read(MemoryMarshal.Cast<byte, float>(rows.Span), selection);
            else if (ElementType == VectorElementType.Float16)
                _data.Read(MemoryMarshal.Cast<byte, Half>(rows.Span), selection);
            else
                _data.Read(rows.Span, selection);
            return ValueTask.CompletedTask;
        });
    }
}
