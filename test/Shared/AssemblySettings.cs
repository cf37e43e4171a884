[assembly: HangBound]
