using System.Buffers.Binary;

namespace VectorPipe.Storage.Manifests;

/// <summary>The bytes of a manifest's calibration section.</summary>
/// <remarks>Layout: docs/format.md#manifest.</remarks>
internal static class CalibrationSection
{
    private const int HeadSize = 16;
    private const int PointSize = 12;

    public static int SizeOf(Calibration calibration) => HeadSize + (calibration.Points.Count * PointSize);

    /// <summary>Writes the body: <see cref="SizeOf"/> bytes.</summary>
    public static void Write(Span<byte> body, Calibration calibration)
    {
        BinaryPrimitives.WriteSingleLittleEndian(body, calibration.Slope);
        BinaryPrimitives.WriteSingleLittleEndian(body[4..], calibration.Spread);
        BinaryPrimitives.WriteSingleLittleEndian(body[8..], calibration.LargestSquaredNorm);
        BinaryPrimitives.WriteInt32LittleEndian(body[12..], calibration.Points.Count);
        body = body[HeadSize..];
        foreach (CalibrationPoint point in calibration.Points)
        {
            BinaryPrimitives.WriteSingleLittleEndian(body, point.Threshold);
            BinaryPrimitives.WriteSingleLittleEndian(body[4..], point.Recall);
            BinaryPrimitives.WriteSingleLittleEndian(body[8..], point.Reads);
            body = body[PointSize..];
        }
    }

    /// <summary>Reads the body; call <see cref="Check"/> when the kind of the index is known.</summary>
    public static Calibration Read(string path, ReadOnlySpan<byte> body)
    {
        int count = body.Length < HeadSize ? -1 : BinaryPrimitives.ReadInt32LittleEndian(body[12..]);
        if (count < 0 || count > (body.Length - HeadSize) / PointSize)
            throw new IndexCorruptException(path, $"expected a whole calibration section, found {body.Length} bytes");
        var points = new CalibrationPoint[count];
        for (int i = 0; i < count; i++)
        {
            ReadOnlySpan<byte> point = body[(HeadSize + (i * PointSize))..];
            points[i] = new CalibrationPoint(
                BinaryPrimitives.ReadSingleLittleEndian(point), BinaryPrimitives.ReadSingleLittleEndian(point[4..]),
                BinaryPrimitives.ReadSingleLittleEndian(point[8..]));
        }

        return new Calibration(
            BinaryPrimitives.ReadSingleLittleEndian(body), BinaryPrimitives.ReadSingleLittleEndian(body[4..]),
            BinaryPrimitives.ReadSingleLittleEndian(body[8..]), points);
    }

    /// <summary>Checks a calibration: thresholds fall, or, for an IVF index, numbers of lists rise.</summary>
    public static void Check(string path, Calibration calibration, bool isLists)
    {
        if (!IsPositive(calibration.Slope) || !IsPositive(calibration.Spread)
            || !(calibration.LargestSquaredNorm >= 0 && float.IsFinite(calibration.LargestSquaredNorm)))
            throw new IndexCorruptException(
                path, $"expected a calibration of positive slope and spread and a finite norm, found {calibration.Slope}, "
                + $"{calibration.Spread} and {calibration.LargestSquaredNorm}");
        for (int i = 0; i < calibration.Points.Count; i++)
        {
            CalibrationPoint point = calibration.Points[i];
            float before = i == 0 ? 0 : calibration.Points[i - 1].Threshold;
            bool isInOrder = i == 0 || (isLists ? point.Threshold > before : point.Threshold < before);
            if (!IsPositive(point.Threshold) || !(point.Recall is >= 0 and <= 1) || !(point.Reads >= 0 && float.IsFinite(point.Reads))
                || !isInOrder)
            {
                string expected = isLists ? "numbers of lists that rise from 1" : "thresholds that fall and stay above 0";
                throw new IndexCorruptException(
                    path, $"expected {expected}, recalls of 0 to 1, and reads, found {point} in place {i} of the calibration");
            }
        }
    }

    private static bool IsPositive(float value) => value > 0 && float.IsFinite(value);
}
